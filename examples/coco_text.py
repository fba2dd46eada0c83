"""Writes COCO-Text v2 (bgshih.github.io/cocotext). In: words.parquet of `memeloc boxes`."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

words = pd.read_parquet("words.parquet")  # memeloc proof out --boxes words.parquet
corners = words[["x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4"]]
xs, ys = corners.iloc[:, ::2].clip(lower=0), corners.iloc[:, 1::2].clip(lower=0)
left, top = xs.min(axis=1), ys.min(axis=1)
image_ids = words["path"].factorize()[0] + 1
anns = pd.DataFrame(
    {
        "id": words.index + 1,
        "image_id": image_ids,
        "mask": corners.to_numpy().tolist(),
        "utf8_string": words["text"],
    }
)
anns["bbox"] = (
    pd.concat([left, top, xs.max(axis=1) - left, ys.max(axis=1) - top], axis=1).to_numpy().tolist()
)
anns["language"] = words["language"].map(
    lambda tag: "english" if tag.startswith("en") else "not english"
)
anns["legibility"] = words["legible"].map({True: "legible", False: "illegible"})
anns["class"], anns["area"] = (
    "machine printed",
    [width * height for *_, width, height in anns["bbox"]],
)
pictures = words.assign(id=image_ids, set="train", file_name=words["path"]).drop_duplicates("path")[
    ["id", "set", "width", "height", "file_name"]
]
parts = {"imgs": pictures, "anns": anns}
coco = {
    name: {str(row["id"]): row for row in part.to_dict("records")} for name, part in parts.items()
}
coco |= {"imgToAnns": anns.groupby("image_id")["id"].agg(list).to_dict(), "info": {}, "cats": {}}  # type: ignore[dict-item]
Path("coco-text.json").write_text(json.dumps(coco, ensure_ascii=False), encoding="utf-8")
