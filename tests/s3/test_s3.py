"""Results on S3, served by moto on this machine: `make test-s3`."""

import os
import shutil

import pytest

from tests.workflow.conftest import small_sample
from tests.workflow.editor import Editor
from tests.workflow.stages import Stages

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.slow,
    pytest.mark.model,
    pytest.mark.skipif(
        os.environ.get("SKILLMILL_S3") != "1",
        reason="needs the storage plugin and moto: make test-s3",
    ),
]

BUCKET, FOLDER = "shelf", "our/project"
TARGETS = ("library", "memory")

#: Dealt out to shards as the workflow is read, so it stays here.
DEALT = "conversations.sqlite"


@pytest.fixture(scope="module")
def shelf():
    """A bucket on a server of this process: its address, and a client."""
    import boto3
    from moto.server import ThreadedMotoServer

    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "testing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        client = boto3.client("s3", endpoint_url=url)
        client.create_bucket(Bucket=BUCKET)
        yield url, client
        server.stop()


def stored(client):
    """Every artifact in the bucket: its path below our folder -> its bytes."""
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
    keys = [item["Key"] for page in pages for item in page.get("Contents", [])]
    return {
        key.removeprefix(f"{FOLDER}/"): client.get_object(Bucket=BUCKET, Key=key)[
            "Body"
        ].read()
        for key in keys
        if key.endswith(".sqlite")
    }


def clean(flow, root):
    """The same inputs built on a disk by the stage functions: path -> bytes."""
    made = Stages(root, flow.records, flow.config, targets=TARGETS)
    shutil.copytree(flow.root / "data", root / "data")
    made.build()
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in made.stores()
        if path.name != DEALT or path.parent.name == "memory"
    }


def test_results_on_s3_have_the_bytes_of_those_on_a_disk(tmp_path, shelf):
    url, client = shelf
    flow = small_sample(tmp_path / "flow", tmp_path / "records")
    storage = [
        "--default-storage-provider", "s3",
        "--default-storage-prefix", f"s3://{BUCKET}/{FOLDER}",
        "--storage-s3-endpoint-url", url,
    ]  # fmt: skip
    flow.run(*TARGETS, *storage, run="first")
    assert {path.name for path in flow.stores()} == {DEALT}
    assert stored(client) == clean(flow, tmp_path / "first")
    flow.run(*TARGETS, *storage, run="again")
    assert flow.jobs("again") == []
    editor = Editor(flow.root, 4)
    editor.describe()
    editor.body()
    flow.run(*TARGETS, *storage, run="edited")
    ran = {job.rule for job in flow.jobs("edited")}
    assert "catalogue" in ran
    assert not ran & {"conversations", "atoms", "entities", "rollouts"}
    assert stored(client) == clean(flow, tmp_path / "edited")
