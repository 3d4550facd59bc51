"""A small database as pylidc writes it."""

import sqlite3
from contextlib import closing
from pathlib import Path

_TABLES = """
CREATE TABLE scans (id INTEGER, patient_id VARCHAR, slice_thickness FLOAT, pixel_spacing FLOAT);
CREATE TABLE annotations (id INTEGER, scan_id INTEGER, _nodule_id VARCHAR, malignancy INTEGER);
CREATE TABLE contours (id INTEGER, annotation_id INTEGER, inclusion BOOLEAN,
    image_z_position FLOAT, coords VARCHAR);
INSERT INTO scans VALUES (1, 'P1', 2.0, 0.5), (2, 'P2', 1.0, 1.0), (3, 'P2', 1.0, 1.0);
INSERT INTO annotations VALUES (1, 1, 'N1', 3), (2, 1, 'N2', 4), (3, 2, 'N3', 1), (4, 2, 'N4', 1);
INSERT INTO contours VALUES
    (1, 1, 1, 10.0, '4,2\n6,2\n5,4'), (2, 1, 1, 12.0, '4,3\n5,3\n5,4'), (3, 1, 0, 12.0, '5,3'),
    (4, 2, 1, 10.0, '4,2\n6,3\n5,4'), (5, 3, 1, 7.5, '1,1\n3,1\n3,3');
"""


def lidc(path: Path) -> None:
    """Write three scans of two patients, with an annotation without outline and an
    excluded part.
    """
    with closing(sqlite3.connect(path)) as database:
        database.executescript(_TABLES)
        database.commit()
