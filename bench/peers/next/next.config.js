import { readFileSync } from 'node:fs';

const sameHeaders = Object.entries(JSON.parse(readFileSync(process.env.HOME_HEADERS, 'utf8')));

export default {
  headers: async () => [
    { source: '/(.*)', headers: sameHeaders.map(([key, value]) => ({ key, value })) },
  ],
};
