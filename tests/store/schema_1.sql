-- A database of schema 1, as memeloc 0.1.0 made it (sqlite3's iterdump); its key is "k".
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('schema_1');
CREATE TABLE captions (
	id INTEGER NOT NULL, 
	meme_id VARCHAR(100) NOT NULL, 
	language VARCHAR(100) NOT NULL, 
	version INTEGER NOT NULL, 
	parts TEXT NOT NULL, 
	stage VARCHAR(100) NOT NULL, 
	round INTEGER NOT NULL, 
	person TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	translator VARCHAR(100) NOT NULL, 
	source_id INTEGER, 
	marks TEXT NOT NULL, 
	characters INTEGER NOT NULL, 
	cost FLOAT NOT NULL, 
	currency VARCHAR(100) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT captions_once_meme_id_language_version UNIQUE (meme_id, language, version), 
	FOREIGN KEY(meme_id) REFERENCES memes (id), 
	FOREIGN KEY(source_id) REFERENCES captions (id)
);
CREATE TABLE cases (
	id INTEGER NOT NULL, 
	meme_id VARCHAR(100) NOT NULL, 
	language VARCHAR(100) NOT NULL, 
	round INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	message TEXT NOT NULL, 
	correction_id INTEGER NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT cases_once_correction_id UNIQUE (correction_id), 
	FOREIGN KEY(meme_id) REFERENCES memes (id), 
	FOREIGN KEY(correction_id) REFERENCES corrections (id)
);
CREATE TABLE corrections (
	id INTEGER NOT NULL, 
	file_id INTEGER NOT NULL, 
	"row" INTEGER NOT NULL, 
	sheet_id VARCHAR(100) NOT NULL, 
	meme_id VARCHAR(100) NOT NULL, 
	language VARCHAR(100) NOT NULL, 
	round INTEGER NOT NULL, 
	person TEXT NOT NULL, 
	parts TEXT NOT NULL, 
	typed TEXT NOT NULL, 
	status VARCHAR(100) NOT NULL, 
	comment TEXT NOT NULL, 
	outcome VARCHAR(100) NOT NULL, 
	reason TEXT NOT NULL, 
	message TEXT NOT NULL, 
	caption_id INTEGER, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT corrections_once_file_id_row_meme_id UNIQUE (file_id, "row", meme_id), 
	FOREIGN KEY(file_id) REFERENCES files (id), 
	FOREIGN KEY(sheet_id) REFERENCES sheets (id), 
	FOREIGN KEY(meme_id) REFERENCES memes (id), 
	FOREIGN KEY(caption_id) REFERENCES captions (id)
);
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	case_id INTEGER NOT NULL, 
	action VARCHAR(100) NOT NULL, 
	correction_id INTEGER, 
	parts TEXT NOT NULL, 
	person TEXT NOT NULL, 
	comment TEXT NOT NULL, 
	caption_id INTEGER, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(case_id) REFERENCES cases (id), 
	FOREIGN KEY(correction_id) REFERENCES corrections (id), 
	FOREIGN KEY(caption_id) REFERENCES captions (id)
);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	kind VARCHAR(100) NOT NULL, 
	subject TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE features (
	name TEXT NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (name, sha256)
);
CREATE TABLE files (
	id INTEGER NOT NULL, 
	kind VARCHAR(100) NOT NULL, 
	name TEXT NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	rows INTEGER NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT files_once_kind_sha256 UNIQUE (kind, sha256)
);
INSERT INTO "files" VALUES(1,'submissions','ada.csv','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',1,'2026-11-22T11:57:35.143133Z');
CREATE TABLE item_versions (
	id INTEGER NOT NULL, 
	item_id VARCHAR(100) NOT NULL, 
	version INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	parent_hash VARCHAR(64) NOT NULL, 
	parts TEXT NOT NULL, 
	language VARCHAR(100) NOT NULL, 
	content TEXT NOT NULL, 
	picture VARCHAR(64), 
	url TEXT NOT NULL, 
	terms TEXT NOT NULL, 
	fetched_at VARCHAR(32), 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT item_versions_once_item_id_version UNIQUE (item_id, version), 
	FOREIGN KEY(item_id) REFERENCES items (id), 
	FOREIGN KEY(picture) REFERENCES pictures (sha256)
);
CREATE TABLE items (
	number INTEGER NOT NULL, 
	id VARCHAR(100) NOT NULL, 
	source TEXT NOT NULL, 
	kind VARCHAR(100) NOT NULL, 
	"key" TEXT NOT NULL, 
	key_hash VARCHAR(64) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT items_once_id UNIQUE (id), 
	CONSTRAINT items_once_key_hash UNIQUE (key_hash)
);
CREATE TABLE judgements (
	id INTEGER NOT NULL, 
	file_id INTEGER NOT NULL, 
	"row" INTEGER NOT NULL, 
	subject TEXT NOT NULL, 
	question VARCHAR(100) NOT NULL, 
	person TEXT NOT NULL, 
	answer TEXT NOT NULL, 
	comment TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT judgements_once_file_id_row_subject_question UNIQUE (file_id, "row", subject, question), 
	FOREIGN KEY(file_id) REFERENCES files (id)
);
CREATE TABLE memes (
	number INTEGER NOT NULL, 
	id VARCHAR(100) NOT NULL, 
	kind VARCHAR(100) NOT NULL, 
	template VARCHAR(100) NOT NULL, 
	source_language VARCHAR(100) NOT NULL, 
	file_id INTEGER, 
	item_id VARCHAR(100), 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT memes_once_id UNIQUE (id), 
	FOREIGN KEY(file_id) REFERENCES files (id), 
	FOREIGN KEY(item_id) REFERENCES items (id)
);
CREATE TABLE memory_units (
	id INTEGER NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	source_language VARCHAR(100) NOT NULL, 
	language VARCHAR(100) NOT NULL, 
	original TEXT NOT NULL, 
	translation TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	person TEXT NOT NULL, 
	file_id INTEGER, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT memory_units_once_hash UNIQUE (hash), 
	FOREIGN KEY(file_id) REFERENCES files (id)
);
CREATE TABLE model_answers (
	hash VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (hash)
);
CREATE TABLE pair_sets (
	id INTEGER NOT NULL, 
	settings TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE pairs (
	set_id INTEGER NOT NULL, 
	first VARCHAR(100) NOT NULL, 
	second VARCHAR(100) NOT NULL, 
	stage VARCHAR(100) NOT NULL, 
	outcome VARCHAR(100) NOT NULL, 
	scores TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (set_id, first, second), 
	FOREIGN KEY(set_id) REFERENCES pair_sets (id), 
	FOREIGN KEY(first) REFERENCES items (id), 
	FOREIGN KEY(second) REFERENCES items (id)
);
CREATE TABLE pictures (
	sha256 VARCHAR(64) NOT NULL, 
	format VARCHAR(100) NOT NULL, 
	width INTEGER NOT NULL, 
	height INTEGER NOT NULL, 
	size INTEGER NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (sha256)
);
CREATE TABLE refusals (
	id INTEGER NOT NULL, 
	source TEXT NOT NULL, 
	url TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	sentence TEXT NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT refusals_once_hash UNIQUE (hash)
);
CREATE TABLE rejected_rows (
	number INTEGER NOT NULL, 
	survey TEXT NOT NULL, 
	file_id INTEGER NOT NULL, 
	"row" INTEGER NOT NULL, 
	reason TEXT NOT NULL, 
	message TEXT NOT NULL, 
	content TEXT NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT rejected_rows_once_survey_hash UNIQUE (survey, hash), 
	FOREIGN KEY(survey) REFERENCES surveys (name), 
	FOREIGN KEY(file_id) REFERENCES files (id)
);
INSERT INTO "rejected_rows" VALUES(1,'pilot',1,3,'unknown sheet','There is none.','{"cells":["bd6febce8db862a4877a2e039e3542b3"]}','61126357b68c3d5f81ee745702311b86a775688c531cc6f765f6aa387fda7956','2026-11-22T11:57:35.158408Z');
CREATE TABLE selection_items (
	selection_id INTEGER NOT NULL, 
	item_id VARCHAR(100) NOT NULL, 
	PRIMARY KEY (selection_id, item_id), 
	FOREIGN KEY(selection_id) REFERENCES selections (id), 
	FOREIGN KEY(item_id) REFERENCES items (id)
);
CREATE TABLE selections (
	id INTEGER NOT NULL, 
	settings TEXT NOT NULL, 
	funnel TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE sheet_items (
	sheet_id VARCHAR(100) NOT NULL, 
	meme_id VARCHAR(100) NOT NULL, 
	position INTEGER NOT NULL, 
	source_id INTEGER NOT NULL, 
	base_id INTEGER NOT NULL, 
	PRIMARY KEY (sheet_id, meme_id), 
	FOREIGN KEY(sheet_id) REFERENCES sheets (id), 
	FOREIGN KEY(meme_id) REFERENCES memes (id), 
	FOREIGN KEY(source_id) REFERENCES captions (id), 
	FOREIGN KEY(base_id) REFERENCES captions (id)
);
CREATE TABLE sheets (
	id VARCHAR(100) NOT NULL, 
	kind VARCHAR(100) NOT NULL, 
	language VARCHAR(100) NOT NULL, 
	source_language VARCHAR(100) NOT NULL, 
	round INTEGER NOT NULL, 
	person TEXT NOT NULL, 
	format VARCHAR(100) NOT NULL, 
	name TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE submissions (
	number INTEGER NOT NULL, 
	survey TEXT NOT NULL, 
	id VARCHAR(100) NOT NULL, 
	sheet VARCHAR(100) NOT NULL, 
	participant VARCHAR(100) NOT NULL, 
	source TEXT NOT NULL, 
	status VARCHAR(100) NOT NULL, 
	code TEXT NOT NULL, 
	started VARCHAR(32), 
	submitted VARCHAR(32), 
	answers TEXT NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	file_id INTEGER NOT NULL, 
	"row" INTEGER NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT submissions_once_survey_hash UNIQUE (survey, hash), 
	FOREIGN KEY(survey) REFERENCES surveys (name), 
	FOREIGN KEY(file_id) REFERENCES files (id)
);
INSERT INTO "submissions" VALUES(1,'pilot','087582b190107f3108c57b6c953133da','r1-b01-DE','bd6febce8db862a4877a2e039e3542b3','csv','complete','',NULL,NULL,'[["m1","hate",[]]]','e04d52afbb9fc34a24cf4c4549cdf987154a19a6490c342cbf1ee5a3892fc90c',1,0,'2026-11-22T11:57:35.150058Z');
CREATE TABLE survey_batches (
	survey TEXT NOT NULL, 
	id VARCHAR(100) NOT NULL, 
	round INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	slots TEXT NOT NULL, 
	cultures TEXT NOT NULL, 
	answers TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (survey, id), 
	FOREIGN KEY(survey) REFERENCES surveys (name)
);
INSERT INTO "survey_batches" VALUES('pilot','r1-b01',1,0,'[{"check":null,"example":"","expected":"","meme_id":"m1"}]','["DE"]','5','2026-11-22T11:57:35.129177Z');
CREATE TABLE survey_participants (
	number INTEGER NOT NULL, 
	survey TEXT NOT NULL, 
	participant VARCHAR(100) NOT NULL, 
	study TEXT NOT NULL, 
	submission VARCHAR(100) NOT NULL, 
	status VARCHAR(100) NOT NULL, 
	seconds FLOAT, 
	facts TEXT NOT NULL, 
	details TEXT NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	file_id INTEGER NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (number), 
	CONSTRAINT survey_participants_once_survey_hash UNIQUE (survey, hash), 
	FOREIGN KEY(survey) REFERENCES surveys (name), 
	FOREIGN KEY(file_id) REFERENCES files (id)
);
INSERT INTO "survey_participants" VALUES(1,'pilot','bd6febce8db862a4877a2e039e3542b3','','','',NULL,'{}','{}','38a04b25fa11620f4b8a463dfd0510babacf7981c682370f3af02a097b93dabe',1,'2026-11-22T11:57:35.152361Z');
CREATE TABLE survey_results (
	number INTEGER NOT NULL, 
	survey TEXT NOT NULL, 
	kind VARCHAR(100) NOT NULL, 
	settings TEXT NOT NULL, 
	result TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (number), 
	FOREIGN KEY(survey) REFERENCES surveys (name)
);
INSERT INTO "survey_results" VALUES(1,'pilot','check','{}','{}','2026-11-22T11:57:35.168029Z');
CREATE TABLE survey_states (
	survey TEXT NOT NULL, 
	target VARCHAR(100) NOT NULL, 
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (survey, target, "key"), 
	FOREIGN KEY(survey) REFERENCES surveys (name)
);
CREATE TABLE surveys (
	name TEXT NOT NULL, 
	design TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "surveys" VALUES('pilot','{"seed":1,"taxonomy":"multi3hate"}','2026-11-22T11:57:35.122212Z');
CREATE TABLE verdicts (
	id INTEGER NOT NULL, 
	item_id VARCHAR(100) NOT NULL, 
	filter VARCHAR(100) NOT NULL, 
	verdict VARCHAR(100) NOT NULL, 
	score FLOAT, 
	reason TEXT NOT NULL, 
	evidence TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(item_id) REFERENCES items (id)
);
CREATE INDEX sheets_by_language_round ON sheets (language, round);
CREATE INDEX memory_units_by_source_language_language ON memory_units (source_language, language);
CREATE INDEX verdicts_by_item_id_filter ON verdicts (item_id, filter);
CREATE INDEX verdicts_by_filter ON verdicts (filter);
CREATE INDEX judgements_by_question_subject ON judgements (question, subject);
CREATE INDEX submissions_by_survey_sheet ON submissions (survey, sheet);
CREATE INDEX survey_results_by_survey_kind ON survey_results (survey, kind);
CREATE INDEX captions_by_source_id ON captions (source_id);
CREATE INDEX corrections_by_meme_id_language_round ON corrections (meme_id, language, round);
CREATE INDEX cases_by_meme_id_language ON cases (meme_id, language);
CREATE INDEX decisions_by_case_id ON decisions (case_id);
CREATE TRIGGER items_no_update BEFORE UPDATE ON items BEGIN SELECT RAISE(ABORT, 'items is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER items_no_delete BEFORE DELETE ON items BEGIN SELECT RAISE(ABORT, 'items is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER pair_sets_no_update BEFORE UPDATE ON pair_sets BEGIN SELECT RAISE(ABORT, 'pair_sets is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER pair_sets_no_delete BEFORE DELETE ON pair_sets BEGIN SELECT RAISE(ABORT, 'pair_sets is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER refusals_no_update BEFORE UPDATE ON refusals BEGIN SELECT RAISE(ABORT, 'refusals is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER refusals_no_delete BEFORE DELETE ON refusals BEGIN SELECT RAISE(ABORT, 'refusals is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER selections_no_update BEFORE UPDATE ON selections BEGIN SELECT RAISE(ABORT, 'selections is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER selections_no_delete BEFORE DELETE ON selections BEGIN SELECT RAISE(ABORT, 'selections is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER sheets_no_update BEFORE UPDATE ON sheets BEGIN SELECT RAISE(ABORT, 'sheets is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER sheets_no_delete BEFORE DELETE ON sheets BEGIN SELECT RAISE(ABORT, 'sheets is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER surveys_no_update BEFORE UPDATE ON surveys BEGIN SELECT RAISE(ABORT, 'surveys is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER surveys_no_delete BEFORE DELETE ON surveys BEGIN SELECT RAISE(ABORT, 'surveys is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER item_versions_no_update BEFORE UPDATE ON item_versions BEGIN SELECT RAISE(ABORT, 'item_versions is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER item_versions_no_delete BEFORE DELETE ON item_versions BEGIN SELECT RAISE(ABORT, 'item_versions is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER judgements_no_update BEFORE UPDATE ON judgements BEGIN SELECT RAISE(ABORT, 'judgements is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER judgements_no_delete BEFORE DELETE ON judgements BEGIN SELECT RAISE(ABORT, 'judgements is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER pairs_no_update BEFORE UPDATE ON pairs BEGIN SELECT RAISE(ABORT, 'pairs is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER pairs_no_delete BEFORE DELETE ON pairs BEGIN SELECT RAISE(ABORT, 'pairs is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER rejected_rows_no_update BEFORE UPDATE ON rejected_rows BEGIN SELECT RAISE(ABORT, 'rejected_rows is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER rejected_rows_no_delete BEFORE DELETE ON rejected_rows BEGIN SELECT RAISE(ABORT, 'rejected_rows is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER selection_items_no_update BEFORE UPDATE ON selection_items BEGIN SELECT RAISE(ABORT, 'selection_items is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER selection_items_no_delete BEFORE DELETE ON selection_items BEGIN SELECT RAISE(ABORT, 'selection_items is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER submissions_no_update BEFORE UPDATE ON submissions BEGIN SELECT RAISE(ABORT, 'submissions is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER submissions_no_delete BEFORE DELETE ON submissions BEGIN SELECT RAISE(ABORT, 'submissions is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER survey_batches_no_update BEFORE UPDATE ON survey_batches BEGIN SELECT RAISE(ABORT, 'survey_batches is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER survey_batches_no_delete BEFORE DELETE ON survey_batches BEGIN SELECT RAISE(ABORT, 'survey_batches is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER survey_participants_no_update BEFORE UPDATE ON survey_participants BEGIN SELECT RAISE(ABORT, 'survey_participants is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER survey_participants_no_delete BEFORE DELETE ON survey_participants BEGIN SELECT RAISE(ABORT, 'survey_participants is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER survey_results_no_update BEFORE UPDATE ON survey_results BEGIN SELECT RAISE(ABORT, 'survey_results is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER survey_results_no_delete BEFORE DELETE ON survey_results BEGIN SELECT RAISE(ABORT, 'survey_results is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER verdicts_no_update BEFORE UPDATE ON verdicts BEGIN SELECT RAISE(ABORT, 'verdicts is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER verdicts_no_delete BEFORE DELETE ON verdicts BEGIN SELECT RAISE(ABORT, 'verdicts is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER captions_no_update BEFORE UPDATE ON captions BEGIN SELECT RAISE(ABORT, 'captions is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER captions_no_delete BEFORE DELETE ON captions BEGIN SELECT RAISE(ABORT, 'captions is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER corrections_no_update BEFORE UPDATE ON corrections BEGIN SELECT RAISE(ABORT, 'corrections is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER corrections_no_delete BEFORE DELETE ON corrections BEGIN SELECT RAISE(ABORT, 'corrections is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER sheet_items_no_update BEFORE UPDATE ON sheet_items BEGIN SELECT RAISE(ABORT, 'sheet_items is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER sheet_items_no_delete BEFORE DELETE ON sheet_items BEGIN SELECT RAISE(ABORT, 'sheet_items is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER cases_no_update BEFORE UPDATE ON cases BEGIN SELECT RAISE(ABORT, 'cases is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER cases_no_delete BEFORE DELETE ON cases BEGIN SELECT RAISE(ABORT, 'cases is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER decisions_no_update BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
CREATE TRIGGER decisions_no_delete BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only: its rows are never changed or deleted, a newer row supersedes'); END;
COMMIT;
