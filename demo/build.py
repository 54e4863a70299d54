"""Makes the demo documents that are not plain UTF-8 text. Run by hand after a change: `python demo/build.py`.

Fonts: PyMuPDF's own "cjk" (Droid Sans Fallback), embedded and cut down to the letters used; Helvetica for English.
"""

from __future__ import annotations

from pathlib import Path

import pymupdf
from docx import Document

HERE = Path(__file__).parent
A4 = pymupdf.paper_rect("a4")
LEFT, RIGHT, TOP, LEADING = 64.0, 531.0, 72.0, 17.0

HANDBOOK_KO: list[tuple[int, str]] = [
    (1, "한빛 계측 고객 안내서"),
    (
        0,
        "제7판. 이 안내서는 한빛 계측의 온도 기록계 HT-200, 압력 전송기 HP-310, 제어 보드 CB-12를 사용하는 고객을 위한 것입니다.",
    ),
    (2, "보증"),
    (0, "모든 계측기의 보증 기간은 납품일로부터 24개월입니다. 센서와 배터리는 소모품이므로 6개월입니다."),
    (
        0,
        "서면 동의 없이 케이스를 열면 보증이 끝납니다. 보증을 신청할 때는 일련번호와 명판 사진을 서비스 창구로 보내 주십시오. 송장은 필요하지 않습니다.",
    ),
    (2, "교정"),
    (0, "교정은 12개월마다 받으실 것을 권합니다. 정오 전에 도착한 계측기는 영업일 기준 5일 안에 교정합니다."),
    (
        0,
        "급행 교정은 영업일 기준 2일이 걸리며 계측기 한 대마다 40달러가 추가됩니다. 교정 성적서는 10년 동안 보관합니다.",
    ),
    (2, "반품"),
    (
        0,
        "사용하지 않은 계측기는 납품일로부터 30일 안에 반품할 수 있습니다. 불량으로 도착한 경우가 아니면 운송비는 구매자가 부담합니다. 주문 제작품은 반품할 수 없습니다.",
    ),
    (2, "서비스 창구"),
    (
        0,
        "서비스 창구는 월요일부터 금요일까지 오전 9시부터 오후 6시까지 운영합니다. 팀 요금제 고객은 그 밖의 시간에도 당직 기술자와 통화할 수 있습니다.",
    ),
    (2, "직원 휴가"),
    (0, "서비스 창구 직원의 연차는 입사 첫해 15일이며 3년마다 하루씩 늘어납니다."),
]

STANDARDS_JA: list[tuple[str, list[str]]] = [
    (
        "ハンビット計測 規格一覧",
        [
            "この一覧は当社の製品に適用する社内規格をまとめたものである。",
            "規格番号は一桁違いのものが多いので、引用の際は番号を確かめること。",
            "",
            "HIS 9407 温度記録計の試験方法",
            "第4条 試験室の温度は23度、湿度は50パーセントとする。",
            "第5条 記録計は試験の前に2時間以上通電する。",
            "第6条 許容差は0.3度以内とする。",
        ],
    ),
    (
        "HIS 9408 圧力伝送器の試験方法",
        [
            "第4条 加圧は定格圧力の1.5倍とし、10分間保持する。",
            "第5条 零点の変化は定格の0.2パーセント以内とする。",
            "第6条 試験の記録は7年間保存する。",
            "",
            "HIS 9409 は欠番である。",
        ],
    ),
    (
        "HIS 9410 制御基板の絶縁試験",
        [
            "第4条 絶縁抵抗は500ボルトで100メガオーム以上とする。",
            "第5条 試験電圧は1,500ボルトとし、1分間印加する。",
            "第6条 基板は試験の後に目視で検査する。",
            "第7条 不合格の基板は赤い札を付けて隔離する。",
        ],
    ),
]

MANUAL_ZH = """HT-200 温度记录仪产品手册

一、概述
HT-200 是韩光仪器(한빛 계측)生产的四通道温度记录仪。测量范围为零下40度至125度，精度为0.3度。

二、安装
记录仪应安装在干燥、无直射阳光的地方。两台记录仪之间的距离不得小于5厘米。

三、电池
内置锂电池可连续工作18个月。更换电池时请先关闭电源，并使用型号为 BT-36 的电池。

四、数据
记录仪最多保存20万条读数。存满之后，新的读数会覆盖最早的读数。

五、保修
整机自交货之日起保修24个月，传感器和电池保修6个月。

六、故障代码
E01 表示传感器断线。E02 表示电池电压过低。E03 表示存储器故障，请与服务台联系。
"""


def build_handbook_ko(path: Path) -> None:
    document = Document()
    for level, text in HANDBOOK_KO:
        if level:
            document.add_heading(text, level)
        else:
            document.add_paragraph(text)
    document.core_properties.title = HANDBOOK_KO[0][1]
    document.core_properties.author = "Hanbit Instruments"
    document.save(str(path))


def build_standards_ja(path: Path) -> None:
    """One standard a page; clause 5 of HIS 9410 stands on page 3 only."""
    pdf = pymupdf.open()
    letters = pymupdf.Font("cjk").buffer
    for number, (heading, lines) in enumerate(STANDARDS_JA, 1):
        page = pdf.new_page(width=A4.width, height=A4.height)
        page.insert_font(fontname="cjk", fontbuffer=letters)
        page.insert_text((LEFT, TOP + 18), heading, fontname="cjk", fontsize=18)
        for at, line in enumerate(lines):
            size = 14 if line.startswith("HIS") and "欠番" not in line else 11
            page.insert_text((LEFT, TOP + 60 + at * 22), line, fontname="cjk", fontsize=size)
        page.insert_text((A4.width / 2, A4.height - 36), str(number), fontname="helv", fontsize=9)
    save(pdf, path, "ハンビット計測 規格一覧")


def save(pdf: pymupdf.Document, path: Path, title: str) -> None:
    pdf.set_metadata({"title": title, "author": "Hanbit Instruments"})
    pdf.subset_fonts()
    pdf.save(str(path), garbage=4, deflate=True, no_new_id=True)
    pdf.close()


def paragraphs(page: pymupdf.Page, top: float, lines: list[str], size: float = 11.0) -> float:
    """Write lines from `top` down; returns where the next would stand."""
    for line in lines:
        page.insert_text((LEFT, top), line, fontname="helv", fontsize=size)
        top += LEADING
    return top


def table(page: pymupdf.Page, top: float, rows: list[tuple[str, str, str]]) -> float:
    """A ruled table of three columns; returns its lower edge."""
    edges, height = (LEFT, 250.0, 390.0, RIGHT), 22.0
    bottom = top + height * len(rows)
    for at in range(len(rows) + 1):
        page.draw_line((LEFT, top + at * height), (RIGHT, top + at * height), width=0.7)
    for edge in edges:
        page.draw_line((edge, top), (edge, bottom), width=0.7)
    for at, row in enumerate(rows):
        for edge, cell in zip(edges, row, strict=False):
            font = "hebo" if at == 0 else "helv"
            page.insert_text((edge + 6, top + at * height + 15), cell, fontname=font, fontsize=10)
    return bottom


def draw_board(page: pymupdf.Page, top: float) -> None:
    """The board from above. Only here is the CPU fan header (J7) named and placed: upper right, beside the processor."""
    board = pymupdf.Rect(LEFT + 30, top, RIGHT - 30, top + 300)
    page.draw_rect(board, color=(0.1, 0.35, 0.33), fill=(0.93, 0.97, 0.96), width=1.6)
    for x in (board.x0 + 14, board.x1 - 14):
        for y in (board.y0 + 14, board.y1 - 14):
            page.draw_circle((x, y), 5, color=(0.4, 0.4, 0.4), fill=(1, 1, 1))
    parts = [
        (200, 80, 290, 170, "U1 PROCESSOR"),
        (318, 40, 372, 62, "J7 CPU FAN"),
        (30, 60, 110, 90, "J1 POWER 24 V"),
        (30, 130, 110, 160, "J2 SENSORS"),
        (30, 200, 110, 230, "J3 RELAYS"),
        (210, 220, 300, 250, "J5 ETHERNET"),
        (318, 120, 378, 240, "U2 MEMORY"),
    ]
    for x0, y0, x1, y1, label in parts:
        box = pymupdf.Rect(board.x0 + x0, board.y0 + y0, board.x0 + x1, board.y0 + y1)
        page.draw_rect(box, color=(0.15, 0.15, 0.15), fill=(1, 1, 1), width=0.9)
        page.insert_text((box.x0 + 2, (box.y0 + box.y1) / 2 + 2.5), label, fontname="helv", fontsize=7.5)
    page.draw_line((board.x0 + 290, board.y0 + 90), (board.x0 + 318, board.y0 + 52), width=0.8)
    page.draw_line((board.x0 + 110, board.y0 + 75), (board.x0 + 200, board.y0 + 110), width=0.8)


def build_datasheet(path: Path) -> None:
    pdf = pymupdf.open()
    first = pdf.new_page(width=A4.width, height=A4.height)
    first.insert_text((LEFT, TOP + 18), "CB-12 control board data sheet", fontname="hebo", fontsize=20)
    top = paragraphs(
        first,
        TOP + 60,
        [
            "The CB-12 drives up to four relays and reads eight sensors. It is supplied with 24 volts",
            "direct current and draws at most 0.8 amperes. Insulation is tested after HIS 9410.",
        ],
    )
    rows = [
        ("Property", "CB-12", "CB-12F"),
        ("Supply", "24 V DC", "24 V DC"),
        ("Current, at most", "0.8 A", "1.1 A"),
        ("Operating range", "-20 to 60 C", "-20 to 70 C"),
        ("Relays", "4", "4"),
        ("Mass", "210 g", "265 g"),
    ]
    first.insert_text((LEFT, top + 20), "Technical data", fontname="hebo", fontsize=14)
    table(first, top + 36, rows)
    second = pdf.new_page(width=A4.width, height=A4.height)
    second.insert_text((LEFT, TOP + 14), "Placement of the connectors", fontname="hebo", fontsize=14)
    draw_board(second, TOP + 44)
    paragraphs(
        second, TOP + 372, ["Figure 1. The board seen from above, mounting holes at the corners."], 9.5
    )
    third = pdf.new_page(width=A4.width, height=A4.height)
    third.insert_text((LEFT, TOP + 14), "Maintenance", fontname="hebo", fontsize=14)
    paragraphs(
        third,
        TOP + 44,
        [
            "The coin cell BR-2032 keeps the clock for 5 years and is replaced with the power off.",
            "After a change of firmware the board restarts by itself within 90 seconds.",
        ],
    )
    save(pdf, path, "CB-12 control board data sheet")


def build() -> None:
    build_handbook_ko(HERE / "handbook-ko.docx")
    build_standards_ja(HERE / "standards-ja.pdf")
    (HERE / "manual-zh.txt").write_bytes(MANUAL_ZH.encode("gb18030"))
    build_datasheet(HERE / "datasheet-cb12.pdf")


if __name__ == "__main__":
    build()
