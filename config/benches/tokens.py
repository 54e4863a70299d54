"""Characters per token of each script with the bundled model's tokeniser: the constants of knowledge/text/scripts.py.

    python -m config.benches.tokens --models var/models/e5 [--fit]

Prints JSON: for each language of our own neutral sentences, and for the samples of other scripts and kinds below,
characters per token as counted, and the estimate over the count; with `--fit`, the tokens of each kind of character
by least squares over the same sentences.
"""

from __future__ import annotations

import argparse
import json
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256, sha512
from pathlib import Path

import numpy as np

from knowledge.e5.model import E5
from knowledge.text.neutral import STATEMENTS_BY_LANGUAGE
from knowledge.text.scripts import KIND_NAMES, estimate_tokens, features

SAMPLES: Mapping[str, str] = {
    "cyrillic": "Встречу перенесли на следующую неделю, потому что несколько человек были в пути. Узкая тропа ведёт вдоль реки "
    "к старой мельнице, которой больше не пользуются. Вечером она собрала сумку и рано утром уехала.",
    "greek": "Η συνάντηση μεταφέρθηκε για την επόμενη εβδομάδα, επειδή αρκετοί ταξίδευαν. Ένα στενό μονοπάτι οδηγεί δίπλα στο "
    "ποτάμι σε έναν παλιό μύλο που δεν χρησιμοποιείται πια.",
    "arabic": "تأجل الاجتماع إلى الأسبوع القادم لأن عدة أشخاص كانوا مسافرين. يقود ممر ضيق على طول النهر إلى مطحنة قديمة لم تعد "
    "مستعملة. حزمت حقيبتها في المساء وغادرت في صباح اليوم التالي.",
    "hebrew": "הפגישה נדחתה לשבוע הבא כי כמה אנשים היו בנסיעה. שביל צר מוביל לאורך הנהר אל טחנה ישנה שאינה בשימוש עוד.",
    "thai": "การประชุมถูกเลื่อนไปเป็นสัปดาห์หน้าเพราะหลายคนกำลังเดินทาง ทางแคบทอดไปตามแม่น้ำสู่โรงสีเก่าที่ไม่ได้ใช้แล้ว "
    "เธอจัดกระเป๋าในตอนเย็นและออกเดินทางแต่เช้าวันรุ่งขึ้น",
    "devanagari": "बैठक अगले सप्ताह तक टाल दी गई क्योंकि कई लोग यात्रा पर थे। एक संकरा रास्ता नदी के किनारे पुरानी चक्की तक जाता है जो अब "
    "काम में नहीं है।",
    "table": "Part: KR-204; Weight: 12.5 kg; Price: 1,250.00 USD; Stock: 38\nPart: KR-205; Weight: 9.75 kg; Price: 980.00 USD; "
    "Stock: 112\nPart: TX-9; Weight: 0.25 kg; Price: 14.90 USD; Stock: 2,400",
    "digits": "2024-01-17 14:05 0.25 1,234,567.89 +82-2-555-0143 192.168.0.12 7741 9938 20 31 4.5% 12/31/2025 88.4 91.2 77.0",
    "code": "def total(rows: list[Row], *, rate: float = 0.1) -> float:\n    return sum(r.price * (1 + rate) for r in rows if r.price > 0)\n"
    'for (let i = 0; i < items.length; i++) { out.push({id: items[i].id, name: `${items[i].name}`}); }\nSELECT id, name FROM parts;',
    "address": "https://docs.example.com/manual/v2/install?lang=en&step=4#top https://files.example.org/a8f3e9c1/report-2024_final.pdf",
    "capitals": "THE SUPPLIER SHALL DELIVER THE GOODS IN ACCORDANCE WITH THE SPECIFICATION AND THE TERMS OF THIS AGREEMENT.",
    "hash": "\n".join(sha256(bytes([n])).hexdigest() for n in range(6)),
    "base64": "\n".join(b64encode(sha512(bytes([n])).digest()).decode() for n in range(6)),
    "unbroken": "\n".join("".join(chr(97 + b % 26) for b in sha512(bytes([n])).digest()) for n in range(6)),
    "sequence": "\n".join("".join("ACGT"[b % 4] for b in sha512(bytes([n])).digest()) for n in range(6)),
    "labels": "보증 기간: 24개월; 가격: 1,250,000원; 수량: 38; 번호: KR-204\n价格：1,250元；数量：38；重量：12.5公斤；编号：KR-204\n"
    "価格：1,250円；数量：38；重量：12.5キロ；番号：KR-204。",
}  # fmt: skip


def measured(e5: E5) -> dict[str, dict[str, float]]:
    texts = {language: "\n".join(lines) for language, lines in STATEMENTS_BY_LANGUAGE.items()} | dict(SAMPLES)
    found = {}
    for name, text in texts.items():
        tokens = e5.count_tokens(text)
        found[name] = {
            "chars_per_token": round(len(text) / tokens, 2),
            "estimate_over_count": round(estimate_tokens(text) / tokens, 2),
        }
    return found


def sentences() -> Iterator[str]:
    for lines in (*STATEMENTS_BY_LANGUAGE.values(), *(text.split("\n") for text in SAMPLES.values())):
        yield from lines


def fitted(e5: E5) -> dict[str, float]:
    """Tokens of each kind of character, of a change inside a word and of a place far into an unbroken run."""
    rows, counts = [], []
    for text in sentences():
        kind, changes, far = features(text)
        rows.append([*np.bincount(kind, minlength=len(KIND_NAMES)), changes.sum(), far.sum()])
        counts.append(e5.count_tokens(text))
    weights = 1 / np.sqrt(counts)  # a long text would else outweigh the short ones
    found, *_rest = np.linalg.lstsq(np.array(rows) * weights[:, None], np.array(counts) * weights)
    names = (*KIND_NAMES, "change", "beyond")
    return {name: round(float(value), 2) for name, value in zip(names, found, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    e5 = E5(options.models)
    json.dump(fitted(e5) if options.fit else measured(e5), sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
