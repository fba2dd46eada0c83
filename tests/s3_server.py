"""A server of the S3 protocol in this process: moto's, which keeps buckets in memory."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def s3_server() -> Iterator[str]:
    """A server on a free port, which the environment names; yields its address."""
    moto = pytest.importorskip("moto.server")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    values = {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "a-secret-of-somebody",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setenv(name, value)
        try:
            yield address
        finally:
            server.stop()


def make_bucket(server: str, name: str, *, public: bool = False) -> str:
    """Make a bucket, which everybody may read if it is `public`, and return its address."""
    import boto3

    client = boto3.client("s3", endpoint_url=server)
    client.create_bucket(Bucket=name)
    if public:
        everybody = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject"}
        policy = {"Statement": [everybody | {"Resource": f"arn:aws:s3:::{name}/*"}]}
        client.put_bucket_policy(Bucket=name, Policy=json.dumps(policy))
    return f"s3://{name}"
