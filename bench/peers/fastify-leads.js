/**
 * The usual way to keep leads in Node: fastify, better-sqlite3, one
 * transaction for each request, on disk before the answer.
 *
 * node fastify-leads.js PORT DATABASE
 */
import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import Fastify from 'fastify';

const [port, file] = process.argv.slice(2);

const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`
  CREATE TABLE contacts (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, phone TEXT,
    message TEXT NOT NULL, form_location TEXT NOT NULL, created_at TEXT NOT NULL
  );
  CREATE INDEX contacts_by_time ON contacts (created_at);
`);
const addContact = db.prepare('INSERT INTO contacts VALUES (?, ?, ?, ?, ?, ?, ?)');
const addLead = db.transaction(({ name, email, phone = null, message, form_location }) => {
  const [id, now] = [randomUUID(), new Date().toISOString()];
  addContact.run(id, name, email, phone, message, form_location, now);
  return id;
});

const text = (maxLength) => ({ type: 'string', minLength: 1, maxLength });
const body = {
  type: 'object',
  required: ['name', 'email', 'message'],
  properties: {
    name: text(200),
    email: { ...text(254), pattern: '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$' },
    phone: { type: 'string', maxLength: 40 },
    message: text(5000),
    form_location: { enum: ['homepage', 'contact'], default: 'contact' },
  },
};

const app = Fastify();
app.post('/api/contacts', { schema: { body } }, (request, reply) => {
  reply.code(201).send({ id: addLead(request.body) });
});
await app.listen({ port: Number(port), host: '127.0.0.1' });
