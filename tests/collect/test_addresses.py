"""Addresses: which are followed, and which IP addresses are public."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memeloc.collect.fetching.addresses import FetchRefused, check_address, is_public


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://Memes.Example/a#b", "memes.example:443"),
        ("http://memes.example:8080/", "memes.example:8080"),
        ("https://пример.example/", "xn--e1afmkfd.example:443"),
    ],
)
def test_where_a_url_leads(url: str, name: str) -> None:
    parsed, server = check_address(url)
    assert server == name
    assert not parsed.fragment


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://memes.example/", "not http"),
        ("javascript:alert(1)", "not http"),
        ("data:text/html,x", "not http"),
        ("//memes.example/x", "not http"),
        ("", "not http"),
        ("https://", "not an address"),
        ("https://a:b@memes.example/", "not an address"),
        ("http://memes.example:22/", "not a web port"),
        ("http://memes.example:99999/", "not a web port"),
        ("http://" + "a" * 5000, "not an address"),
        ("http://[::1", "not an address"),
        ("http://\ud800/", "not an address"),
    ],
)
def test_what_is_not_followed(url: str, reason: str) -> None:
    with pytest.raises(FetchRefused) as refused:
        check_address(url)
    assert refused.value.reason == reason


@given(st.text(max_size=200))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    for url in (text, "http://" + text):
        try:
            parsed, server = check_address(url)
        except FetchRefused:
            continue
        assert parsed.scheme in ("http", "https")
        assert server.rpartition(":")[0]


@given(st.ip_addresses(v=4))
def test_ipv4_is_public_as_the_standard_library_says(address: IPv4Address) -> None:
    expected = address.is_global and not address.is_multicast and not address.is_reserved
    protocols = IPv4Network("192.0.0.0/24")  # RFC 6890; Python calls some of it global
    assert is_public(str(address)) == (expected and address not in protocols)


@given(st.ip_addresses(v=4))
def test_an_inner_address_stays_one_in_every_ipv6_dress(inner: IPv4Address) -> None:
    number = int(inner)
    dressed = {
        "mapped": IPv6Address(0xFFFF00000000 + number),
        "6to4": IPv6Address((0x2002 << 112) + (number << 80) + 1),
        "nat64": IPv6Address(int(IPv6Address("64:ff9b::")) + number),
    }
    for address in dressed.values():
        if not is_public(str(inner)):
            assert not is_public(str(address))


@given(st.text(max_size=40))
def test_text_that_is_no_ip_address_is_not_public(text: str) -> None:
    try:
        ip_address(text.partition("%")[0])
    except ValueError:
        assert not is_public(text)
