"""Neutral sentences in seven languages: what a model's vectors have in common, and questions about nothing in particular.

Centres are the mean vector of STATEMENTS (as passages) and of QUESTIONS (as queries); the unrelated baseline is the
distance of QUESTIONS to a space's passages. Written for the platform.
"""

from __future__ import annotations

STATEMENTS = (
    "The meeting was moved to the following week because several people were travelling.",
    "A narrow path leads along the river to an old mill that is no longer in use.",
    "She packed her bag in the evening and left early the next morning.",
    "Most of the shelves were empty by the time the shop closed.",
    "회의는 여러 사람이 출장 중이어서 다음 주로 미뤄졌다.",
    "좁은 길을 따라가면 강가에 더 이상 쓰이지 않는 오래된 방앗간이 있다.",
    "그는 저녁에 짐을 싸서 다음 날 아침 일찍 떠났다.",
    "가게가 문을 닫을 무렵에는 선반이 거의 비어 있었다.",
    "由于几个人正在出差，会议推迟到了下一周。",
    "一条小路沿着河边通向一座早已停用的旧磨坊。",
    "她晚上收拾好行李，第二天一早就出发了。",
    "商店关门时，大部分货架已经空了。",
    "数人が出張中だったため、会議は翌週に延期された。",
    "細い道が川沿いに続き、使われなくなった古い水車小屋に着く。",
    "彼女は夜に荷物をまとめ、翌朝早く出発した。",
    "店が閉まる頃には棚はほとんど空になっていた。",
    "Die Besprechung wurde auf die folgende Woche verschoben, weil mehrere Personen unterwegs waren.",
    "Ein schmaler Weg führt am Fluss entlang zu einer alten Mühle, die nicht mehr genutzt wird.",
    "La reunión se aplazó a la semana siguiente porque varias personas estaban de viaje.",
    "Un camino estrecho sigue el río hasta un viejo molino que ya no se usa.",
    "La réunion a été reportée à la semaine suivante parce que plusieurs personnes étaient en voyage.",
    "Un sentier étroit longe la rivière jusqu'à un vieux moulin qui ne sert plus.",
)
QUESTIONS = (
    "Where did you put the blue umbrella?",
    "How do I boil an egg so that the yolk stays soft?",
    "Which of my cousins plays the violin?",
    "What should I wear to a picnic in autumn?",
    "파란 우산을 어디에 두었나요?",
    "노른자가 반숙이 되게 달걀을 삶으려면 어떻게 하나요?",
    "내 사촌 중에 바이올린을 켜는 사람은 누구인가요?",
    "가을 소풍에는 무엇을 입으면 좋을까요?",
    "你把蓝色的雨伞放在哪里了？",
    "怎样煮鸡蛋才能让蛋黄保持软嫩？",
    "我的哪个表亲会拉小提琴？",
    "秋天去野餐应该穿什么？",
    "青い傘をどこに置きましたか。",
    "黄身が半熟になるように卵をゆでるにはどうすればいいですか。",
    "私のいとこの中でバイオリンを弾くのは誰ですか。",
    "秋のピクニックには何を着ればいいですか。",
    "Wo hast du den blauen Regenschirm hingelegt?",
    "Wie koche ich ein Ei so, dass das Eigelb weich bleibt?",
    "¿Dónde dejaste el paraguas azul?",
    "¿Cómo se cuece un huevo para que la yema quede blanda?",
    "Où as-tu mis le parapluie bleu ?",
    "Comment cuire un œuf pour que le jaune reste mou ?",
)
