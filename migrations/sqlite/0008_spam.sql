-- What is known of spam.

-- The same for the same text, however it is spaced; empty for few words.
ALTER TABLE contacts ADD COLUMN text_key TEXT;
-- Why a held lead looks like spam, as JSON: a list of reason and weight.
ALTER TABLE contacts ADD COLUMN spam_reasons TEXT;
-- What the owner's mark has taught: 'spam' or 'genuine', a colon, and the
-- numbers of the words, so that exactly these can be taken back.
ALTER TABLE contacts ADD COLUMN spam_lesson TEXT;

CREATE INDEX contacts_by_text ON contacts (text_key, created_at, email_key)
    WHERE text_key IS NOT NULL;

-- In how many marked messages a word stood, by the word's number. Number -1
-- counts the messages themselves.
CREATE TABLE spam_words (
    word    INTEGER NOT NULL PRIMARY KEY,
    spam    INTEGER NOT NULL,
    genuine INTEGER NOT NULL
) STRICT;
