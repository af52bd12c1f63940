/** The servers we are held against, each set up as its own manual advises. */
import { existsSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../e2e/support/program.ts';
import { Child, emptyFolder, folders, run, serverCore } from './child.ts';
import type { Home } from './home.ts';

const brotliModule = '/usr/lib/nginx/modules/ngx_http_brotli_static_module.so';

/** nginx with one worker, files and descriptors cached, a buffered access log. */
export async function startNginx(home: Home): Promise<Child> {
  if (!existsSync(brotliModule)) throw new Error(`${brotliModule} is missing`);
  const port = await freePort();
  const folder = await emptyFolder('nginx');
  const headers = Object.entries(home.headers).map(
    ([name, value]) => `add_header ${name} '${value.replaceAll("'", "\\'")}';`,
  );
  const config = `
    load_module ${brotliModule};
    daemon off;
    master_process off;
    pid ${folder}/pid;
    error_log ${folder}/error.log;
    events { worker_connections 1024; }
    http {
      include /etc/nginx/mime.types;
      charset utf-8;
      access_log ${folder}/access.log combined buffer=64k flush=1s;
      client_body_temp_path ${folder}/body;
      proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi;
      scgi_temp_path ${folder}/scgi;
      sendfile on;
      tcp_nopush on;
      keepalive_requests 1000000000;
      open_file_cache max=1000 inactive=60s;
      open_file_cache_valid 30s;
      brotli_static on;
      server {
        listen 127.0.0.1:${port};
        server_tokens off;
        root ${home.folder};
        ${headers.join('\n        ')}
        add_header vary accept-encoding;
        add_header x-request-id $request_id;
      }
    }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const url = `http://127.0.0.1:${port}/`;
  return Child.start(['nginx', '-c', join(folder, 'nginx.conf')], { url, core: serverCore });
}

export async function startFastifyStatic(home: Home): Promise<Child> {
  const port = await freePort();
  const script = join(folders.peers, 'fastify-static.js');
  const command = ['node', script, `${port}`, home.folder, JSON.stringify(home.headers)];
  return Child.start(command, { ...production(port), core: serverCore });
}

/** Not pinned: what is asked for is leads on disk, with the machine as it is. */
export async function startFastifyLeads(database: string): Promise<Child> {
  const port = await freePort();
  const command = ['node', join(folders.peers, 'fastify-leads.js'), `${port}`, database];
  return Child.start(command, production(port));
}

/** The same markup as a page of Next.js, built and prerendered, then `next start`. */
export async function startNext(home: Home): Promise<Child> {
  const folder = await emptyFolder('next');
  await cp(join(folders.peers, 'next'), folder, { recursive: true });
  await cp(join(folders.peers, 'package.json'), join(folder, 'package.json'));
  await symlink(join(folders.peers, 'node_modules'), join(folder, 'node_modules'));
  const headersFile = join(folder, 'headers.json');
  await writeFile(headersFile, JSON.stringify(home.headers));
  const env = {
    HOME_PAGE: join(home.folder, 'index.html'),
    HOME_HEADERS: headersFile,
    NEXT_TELEMETRY_DISABLED: '1',
  };
  const next = ['node', join(folders.peers, 'node_modules/next/dist/bin/next')];
  await run([...next, 'build'], { cwd: folder, env });
  const port = await freePort();
  const options = production(port, env);
  const command = [...next, 'start', '-p', `${port}`, '-H', '127.0.0.1'];
  return Child.start(command, { ...options, cwd: folder, core: serverCore });
}

function production(port: number, env: Record<string, string> = {}) {
  return { url: `http://127.0.0.1:${port}/`, env: { NODE_ENV: 'production', ...env } };
}

/** "nginx 1.22.1, fastify 5.12.8, …" */
export async function peerVersions(): Promise<string> {
  const versionOf = async (name: string) => {
    const file = join(folders.peers, 'node_modules', name, 'package.json');
    return `${name} ${JSON.parse(await readFile(file, 'utf8')).version}`;
  };
  const packages = ['fastify', '@fastify/static', 'better-sqlite3', 'next'];
  // It says its version on standard error.
  const nginx = (await run(['sh', '-c', 'nginx -v 2>&1'])).trim().split('/')[1];
  const node = (await run(['node', '--version'])).trim();
  return [`nginx ${nginx}`, ...(await Promise.all(packages.map(versionOf))), `Node ${node}`].join(
    ', ',
  );
}
