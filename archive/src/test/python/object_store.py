# SPDX-License-Identifier: Apache-2.0
# Copies an archive into an object store on this host (moto), in the order of docs/archive.md, while its archiver is at work, and
# brings each copy back. The bucket keeps what the copies before have put there.
#
#     object_store.py ARCHIVE COPIES COUNT      the copies are COPIES/1 to COPIES/COUNT
import os
import pathlib
import sys

import boto3
from moto.server import ThreadedMotoServer

BUCKET = "orders"
FOLDERS = ["payload", "tile", "keys"]


class Copier:
    def __init__(self, store, archive):
        self.store = store
        self.archive = archive
        self.lengths = {}

    def put(self, folders):
        """Puts the files whose length the bucket lacks. Returns whether all that were listed were still there."""
        gone = []
        for top in folders:
            for folder, _, names in os.walk(self.archive / top, onerror=gone.append):
                for each in names:
                    try:
                        self.put_file(pathlib.Path(folder) / each)
                    except FileNotFoundError as error:
                        gone.append(error)
        return not gone

    def put_file(self, path):
        name = str(path.relative_to(self.archive))
        if self.lengths.get(name) != path.stat().st_size:
            body = path.read_bytes()
            self.store.put_object(Bucket=BUCKET, Key=name, Body=body)
            self.lengths[name] = len(body)

    def copy(self):
        self.put(["anchors"])
        head = (self.archive / "checkpoint").read_bytes()
        while not self.put(FOLDERS):
            pass
        self.put(FOLDERS)
        self.store.put_object(Bucket=BUCKET, Key="checkpoint", Body=head)

    def bring_back(self, folder):
        for page in self.store.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
            for each in page["Contents"]:
                path = folder / each["Key"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(self.store.get_object(Bucket=BUCKET, Key=each["Key"])["Body"].read())


def main():
    archive, copies = map(pathlib.Path, sys.argv[1:3])
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    store = boto3.client("s3", endpoint_url="http://%s:%d" % server.get_host_and_port(), region_name="us-east-1",
                         aws_access_key_id="any", aws_secret_access_key="any")
    store.create_bucket(Bucket=BUCKET)
    copier = Copier(store, archive)
    for number in range(int(sys.argv[3])):
        copier.copy()
        copier.bring_back(copies / str(number + 1))
    server.stop()


main()
