"""Fetching, politely and safely. In: addresses. Out: pages, or the reason why there is none."""
