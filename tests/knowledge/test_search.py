"""The search as a whole, on the bundled model: the one fact, its page, and nobody else's."""

from __future__ import annotations

import pymupdf
import pytest
from django.db import connection

from accounts.models import Tenant
from accounts.permissions import grant
from accounts.scope import tenant_scope
from accounts.types import KeyScope, Right
from knowledge import pool
from knowledge.backends import embedder
from knowledge.index_builder import build_index, drop_index, index_name
from knowledge.models import Chunk, Space, VectorSet
from knowledge.search import search
from knowledge.services import create_space, delete_document, upload_document
from knowledge.vectors import query_vector, serving_set
from knowledge.work import work_once
from tests.factories import Person

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
    pytest.mark.usefixtures("bundled_model"),
]

TOPICS = ["the winch", "the boiler", "the scanner", "the antenna", "the harbour crane", "the printer", "the furnace", "the generator", "the conveyor", "the turbine"]  # fmt: skip


def fill(person: Person, slug: str = "plant", texts: list[str] | None = None) -> Space:
    space = create_space(person.principal, slug, slug=slug)
    texts = texts or [
        f"Notes on {topic}.\n\nThe inspection of {topic} takes place in week {n + 20}."
        for n, topic in enumerate(TOPICS)
    ]
    for number, text in enumerate(texts):
        upload_document(person.principal, space, f"file-{number}.txt", text.encode(), title=f"File {number}")
    while work_once():
        pass
    space.refresh_from_db()
    return space


@pytest.mark.parametrize("number", [0, 6, 9])
def test_the_file_that_holds_the_fact_comes_first_whichever_it_is(
    in_acme: Tenant, alice: Person, number: int
) -> None:
    space = fill(alice)
    found = search(alice.principal, [space], f"In which week is the inspection of {TOPICS[number]}?")
    assert found.passages[0].title == f"File {number}"


@pytest.mark.parametrize("limit", [3, 5, 10])
def test_a_fact_on_page_three_is_opened_on_page_three_with_a_box_on_its_line(
    in_acme: Tenant, alice: Person, limit: int
) -> None:
    document = pymupdf.open()
    for text in ("The plant makes valves.", "The plant was built of brick.", "The valve opens at 7.5 bar."):
        document.new_page().insert_text((72, 100), text, fontsize=11)
    space = create_space(alice.principal, "plant", slug="plant")
    upload_document(alice.principal, space, "valves.pdf", document.tobytes())
    while work_once():
        pass
    found = search(alice.principal, [space], "At what pressure does the valve open?", limit=limit)
    passage = next(p for p in found if "7.5 bar" in p.text)
    at = passage.text.index("The valve opens")
    boxes = passage.boxes(at, at + 10)
    assert {box.page for box in boxes} == {3}
    assert all(70 < box.box[0] < box.box[2] < 300 and 85 < box.box[1] < box.box[3] < 110 for box in boxes)


@pytest.mark.parametrize(
    ("text", "asked"),
    [("번역을 부탁해 주세요.", "번역"), ("日本語のテストです。", "テスト"), ("这是一个测试。", "测试"), ("三码合一的规定如下。", "三码"), ("계약번호 KR-2024-0117은 유효하다.", "KR-2024-0117")],
)  # fmt: skip
def test_one_word_finds_the_text_that_holds_it(in_acme: Tenant, alice: Person, text: str, asked: str) -> None:
    space = fill(
        alice, texts=[text, "Something else entirely, about weather.", "계약번호 KR-2024-0171은 끝났다."]
    )
    found = search(alice.principal, [space], asked)
    assert found.passages[0].text.strip() == text and "literal" in found.passages[0].why


def test_who_may_not_read_a_space_gets_no_row_of_it(
    in_acme: Tenant, alice: Person, rita: Person, charlie: Person
) -> None:
    space = fill(alice, texts=["The winch pulls nine tonnes."])
    Space.objects.filter(id=space.id).update(restricted=True)
    asked = "How much does the winch pull?"
    assert search(alice.principal, [space], asked).passages
    assert not search(rita.principal, [space], asked).passages
    assert not search(alice.key_principal(KeyScope.KEYS), [space], asked).passages
    grant(rita.user, Right.READ_SPACE, space)
    assert search(rita.principal, [space], asked).passages
    with tenant_scope(charlie.tenant.id):
        assert not search(charlie.principal, [space], asked).passages


def test_a_stranger_looks_up_no_terms_and_no_vectors(in_acme: Tenant, alice: Person, charlie: Person) -> None:
    space = fill(alice, texts=["The winch pulls nine tonnes."])
    chunk = Chunk.objects.get()
    found = serving_set(space.id)
    assert found is not None
    weights = dict.fromkeys(chunk.terms, 1.0)
    vector = query_vector(found, embedder().embed_query("winch"))
    assert pool.holding(space.id, weights) and pool.nearest(found, vector)
    with tenant_scope(charlie.tenant.id):
        assert pool.holding(space.id, weights) == {} and pool.nearest(found, vector) == {}


def test_a_deleted_document_is_found_no_more(in_acme: Tenant, alice: Person) -> None:
    space = fill(alice, texts=["The winch pulls nine tonnes.", "The boiler is red."])
    document = next(
        row.document for row in Chunk.objects.select_related("document", "space") if "winch" in row.text
    )
    delete_document(alice.principal, document, confirm=document.title)
    assert not search(alice.principal, [space], "How much does the winch pull?").passages
    assert Chunk.objects.count() == 1


def test_a_large_spaces_own_index_is_used_behind_the_wall(in_acme: Tenant, alice: Person) -> None:
    space = fill(alice)
    found = serving_set(space.id)
    assert found is not None
    build_index(found)
    try:
        found = VectorSet.objects.get(id=found.id)
        assert found.indexed
        vector = query_vector(found, embedder().embed_query("When is the winch inspected?"))
        with connection.cursor() as cursor:
            cursor.execute("SET enable_seqscan = off")
            cursor.execute("SET enable_sort = off")
        plan = _plan_of(lambda: pool.nearest(found, vector))
        assert index_name(found) in plan and "tenant_id" in plan
        indexed = pool.nearest(found, vector)
        found.indexed = False
        assert index_name(found) not in _plan_of(lambda: pool.nearest(found, vector))
        assert indexed == pytest.approx(pool.nearest(found, vector), abs=1e-3)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET enable_seqscan")
            cursor.execute("RESET enable_sort")
        drop_index(found)


def _plan_of(act: object) -> str:
    """The plan of the last statement that `act` sends, as the application's role."""
    sent: list[tuple[str, object]] = []

    def keep(execute: object, sql: str, params: object, many: bool, context: object) -> object:
        sent.append((sql, params))
        return execute(sql, params, many, context)  # type: ignore[operator]

    with connection.execute_wrapper(keep):
        act()  # type: ignore[operator]
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + sent[-1][0], sent[-1][1])
        return "\n".join(row[0] for row in cursor.fetchall())


def test_of_several_spaces_the_first_passages_own_one_says_what_is_unrelated(
    in_acme: Tenant, alice: Person
) -> None:
    korean = fill(alice, "korean", ["펌프의 보증 기간은 26개월이다.", "램프의 무게는 900그램이다."])
    english = fill(alice)
    question = "In which week is the inspection of the boiler?"
    found = search(alice.principal, [korean, english], question)
    alone = search(alice.principal, [english], question)
    assert found.passages[0].id == alone.passages[0].id
    assert found.baseline == alone.baseline
    assert found.nearness is not None
    near, far = found.nearness(
        ["The inspection of the boiler takes place in week 21.", "램프의 무게는 900그램이다."]
    )
    assert 1 >= near > far
