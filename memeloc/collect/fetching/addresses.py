"""Which addresses may be asked. In: a URL, or an IP address. Out: yes, or the reason why not.

Pages name other pages and pictures, and a name on the network may mean any machine: so only http
and https are followed, on ports where the web is served, and never to a machine inside the network.
What a name resolves to is checked where the connection is made (connecting.py), so that no second
look at the name can give another answer.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import httpx

from memeloc.errors import MemelocError

LONGEST = 4000  # characters that an address may have

_PORTS = {"http": 80, "https": 443}
_FIRST_FREE_PORT = 1024
_PORTS_IN_ALL = 65_536
_UNICAST = IPv6Network("2000::/3")  # all that IANA gives out for the public network
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052; the local prefixes of RFC 8215 are not public
_PROTOCOLS = IPv4Network("192.0.0.0/24")  # RFC 6890, likewise
_DOCUMENTATION = IPv6Network("3fff::/20")  # RFC 9637; Python's table does not have it everywhere


class FetchRefused(MemelocError):  # noqa: N818 - a refusal, not a fault
    """Something was not fetched, or not taken: its url, a short key that can be counted (`reason`)
    and a sentence (`message`).
    """

    def __init__(self, url: str, reason: str, message: str) -> None:
        self.url = url
        self.reason = reason
        self.message = message
        super().__init__(f"{url[:200]}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        """Cross a process boundary whole."""
        return (FetchRefused, (self.url, self.reason, self.message))


def host_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def check_address(url: str) -> tuple[httpx.URL, str]:
    """Return a URL without its fragment, and its `host:port`, or raise FetchRefused."""
    if len(url) > LONGEST:
        raise FetchRefused(url, "not an address", f"it has over {LONGEST:,} characters")
    try:
        parsed = httpx.URL(url).copy_with(fragment=None)
    except (httpx.InvalidURL, ValueError, TypeError) as error:
        raise FetchRefused(url, "not an address", f"it is no address ({error})") from error
    if parsed.scheme not in _PORTS:
        raise FetchRefused(
            url, "not http", f"only http and https are followed, not {parsed.scheme or 'nothing'!r}"
        )
    if parsed.userinfo:
        raise FetchRefused(url, "not an address", "it has a name or password in it")
    host = parsed.raw_host.decode("ascii", "replace").lower().rstrip(".")
    if not host:
        raise FetchRefused(url, "not an address", "it names no host")
    port = parsed.port or _PORTS[parsed.scheme]
    if not (port in _PORTS.values() or _FIRST_FREE_PORT <= port < _PORTS_IN_ALL):
        raise FetchRefused(
            url, "not a web port", f"port {port} is not one that the web is served on"
        )
    return parsed, host_port(host, port)


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public network.

    An IPv6 address is public within 2000::/3. One that stands for an IPv4 address (6to4, Teredo,
    NAT64) is public when that one is, too; one that only maps it is not, for no server of the
    public network is called so. Text that is no IP address is not public.

    >>> is_public("93.184.215.14"), is_public("169.254.169.254"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner: list[IPv4Address] = []
    if isinstance(parsed, IPv6Address):
        if parsed in _NAT64:
            return is_public(str(IPv4Address(int(parsed) & 0xFFFFFFFF)))
        if parsed not in _UNICAST or parsed in _DOCUMENTATION:
            return False
        inner = [parsed.sixtofour] if parsed.sixtofour else list(parsed.teredo or ())
    elif parsed in _PROTOCOLS:
        return False
    if not parsed.is_global or parsed.is_multicast or parsed.is_reserved or parsed.is_unspecified:
        return False
    return all(is_public(str(each)) for each in inner)
