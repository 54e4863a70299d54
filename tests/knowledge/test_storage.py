"""The contract of file stores, held against each."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from knowledge.storage import FileStore, LocalFiles

STORES = {"local": lambda folder: LocalFiles(folder / "files")}


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> FileStore:
    return STORES[request.param](tmp_path)


@pytest.mark.parametrize("data", [b"", b"sealed", bytes(range(256)) * 5000])
def test_what_was_put_comes_back(store: FileStore, data: bytes) -> None:
    assert store.get(store.put(data)) == data


def test_every_put_has_a_key_of_its_own_that_says_nothing(store: FileStore) -> None:
    keys = {store.put(b"the same") for _ in range(20)}
    assert len(keys) == 20
    assert all(key.isalnum() and len(key) >= 32 for key in keys)


def test_a_deleted_file_is_gone_and_may_be_deleted_again(store: FileStore) -> None:
    kept, gone = store.put(b"kept"), store.put(b"gone")
    store.delete(gone)
    store.delete(gone)
    with pytest.raises(FileNotFoundError):
        store.get(gone)
    assert store.get(kept) == b"kept"


@pytest.mark.parametrize("key", ["", "nothing", "../../etc/passwd", "..", "a/b", "a\0b"])
def test_a_strange_key_is_no_file(store: FileStore, key: str) -> None:
    with pytest.raises(FileNotFoundError):
        store.get(key)


def test_local_files_are_for_their_owner_alone_and_never_half_written(tmp_path: Path) -> None:
    LocalFiles(tmp_path / "files").put(b"sealed")
    found = [path for path in (tmp_path / "files").rglob("*") if path.is_file()]
    assert [stat.S_IMODE(path.stat().st_mode) for path in found] == [0o600]
    assert not [path for path in found if path.suffix == ".part"]
