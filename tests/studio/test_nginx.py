"""The guide's configuration, run by the real nginx before a real server."""

from __future__ import annotations

import re
import shutil
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from memeloc.survey.serving import Parameters, ServeSettings
from tests.studio.served import Annotator, serving
from tests.survey.real_programs import free_port, started

pytestmark = pytest.mark.slow
GUIDE = (Path(__file__).parents[2] / "guides" / "survey-tools.md").read_text(encoding="utf-8")
DE = "r1-b01-DE"


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "survey.university.example")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    chain, private = folder / "fullchain.pem", folder / "privkey.pem"
    chain.write_bytes(signed.public_bytes(pem))
    private.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return chain, private


@pytest.fixture(scope="module")
def behind_nginx(
    built: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[httpx.Client, str, Path]]:
    """A client of nginx, its address, and the file that it logs to."""
    tmp_path = tmp_path_factory.mktemp("nginx")
    folder = shutil.copytree(built, tmp_path / "work")
    (configuration,) = re.findall(r"```nginx\n(.*?)```", GUIDE, re.DOTALL)
    chain, private = certificate(tmp_path)
    logs, secure, plain, ready = tmp_path / "access.log", free_port(), free_port(), free_port()
    address = f"https://localhost:{secure}/memes"
    limits = ("--set", "requests_a_minute=30", "--set", f"address={address}", "--cultures", "DE")
    with serving(folder, *limits) as server:
        for written, own in {
            "/etc/letsencrypt/live/survey.university.example/fullchain.pem": str(chain),
            "/etc/letsencrypt/live/survey.university.example/privkey.pem": str(private),
            "/var/log/nginx/memeloc.log": str(logs),
            "/var/log/nginx/memeloc-errors.log": str(tmp_path / "errors.log"),
            "listen 443 ssl": f"listen 127.0.0.1:{secure} ssl",
            "listen 80": f"listen 127.0.0.1:{plain}",
            "127.0.0.1:8000": f"127.0.0.1:{server.port}",
        }.items():
            assert written in configuration
            configuration = configuration.replace(written, own)
        file = tmp_path / "nginx.conf"
        file.write_text(
            f"pid {tmp_path}/nginx.pid; daemon off; events {{}} http {{\n"
            + "".join(
                f"{kind}_temp_path {tmp_path}/{kind};\n"
                for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            )
            + f"{configuration}\nserver {{ listen 127.0.0.1:{ready}; return 204; }}\n}}\n"
        )
        command = ["nginx", "-c", str(file), "-e", str(tmp_path / "start.log")]
        with (
            started(command, tmp_path, f"http://127.0.0.1:{ready}/", {}),
            httpx.Client(verify=ssl.create_default_context(cafile=str(chain))) as client,
        ):
            yield client, address, logs


def test_a_sheet_is_filled_behind_nginx(
    behind_nginx: tuple[httpx.Client, str, Path],
) -> None:
    client, address, logs = behind_nginx
    comer = Annotator(client, address.removesuffix("/memes"))
    response = comer.open(f"{address}/join?PROLIFIC_PID=5f0c0ffee&sheet={DE}")
    assert response.status_code == 200
    assert response.url.path.startswith("/memes/place/")
    assert response.headers["strict-transport-security"] == "max-age=31536000"
    assert comer.serve["answer"].startswith("/memes/place/")
    picture = re.search(r"/memes/picture/[0-9a-f]{32}", response.text)
    assert picture is not None
    assert client.get(f"{address.removesuffix('/memes')}{picture[0]}").status_code == 200
    for item in comer.items:
        assert comer.answer(item, "no-hate").status_code == 200
    assert comer.finish().json()["code"]
    owner = client.get(f"{address}/owner?token=a-token-of-the-owner")
    assert "Secure" in owner.headers["set-cookie"]
    assert "Path=/memes/owner" in owner.headers["set-cookie"]
    assert "5f0c0ffee" not in logs.read_text()


def test_what_a_client_says_of_itself_is_not_believed(
    behind_nginx: tuple[httpx.Client, str, Path],
) -> None:
    client, address, _ = behind_nginx
    statuses = [
        client.get(
            f"{address}/health",
            headers={"X-Forwarded-For": f"10.0.0.{number}", "X-Forwarded-Proto": "http"},
        ).status_code
        for number in range(40)
    ]
    assert statuses[0] == 200
    assert statuses[-1] == 429


def test_the_guide_names_every_setting() -> None:
    table = GUIDE[GUIDE.index("| setting |") : GUIDE.index("Rounds that")]
    named = set(re.findall(r"`([a-z_]+)`", table))
    assert named >= {*ServeSettings.model_fields, *Parameters.model_fields}
