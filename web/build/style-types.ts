/**
 * Types for the style modules of the folder it runs in, web or desk, so that `npm run check` fails if a component names a
 * class that its style sheet lacks. The compiler finds them through `rootDirs` in tsconfig.json. A class that no component
 * names, and two classes with the same short name, are errors here.
 */
import { globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { preprocessCSS, resolveConfig } from 'vite';

const src = join(process.cwd(), 'src');
const folder = join(process.cwd(), '.cache/style-types');
const config = await resolveConfig({}, 'build');
const sources = globSync('**/*.tsx', { cwd: src }).map((file) => {
  const code = readFileSync(join(src, file), 'utf8');
  const imports = [...code.matchAll(/from '([^']+\.module\.css)'/g)];
  return { code, styles: imports.map(([, path = '']) => join(dirname(file), path)) };
});
const errors: string[] = [];
const shortNames = new Map<string, string>();

/** `styles.name`; or, chosen by an option: `'name'`, and `'x'` with `styles[`kind-${…}`]` for `kind-x`. */
function isNamed(name: string, source: string): boolean {
  const [, kind, option] = /^(\w+)-(.*)$/.exec(name) ?? [];
  return (
    new RegExp(`\\w\\.${name}\\b(?!-)`).test(source) ||
    (/styles\[\w+\]/.test(source) && source.includes(`'${name}'`)) ||
    (source.includes(`styles[\`${kind}-\${`) && source.includes(`'${option}'`))
  );
}

const declaration = (names: string[]) => `declare const styles: {
${names.map((name) => `  readonly ${JSON.stringify(name)}: string;`).join('\n')}
};
export default styles;
`;

await rm(folder, { recursive: true, force: true });
for (const file of globSync('**/*.module.css', { cwd: src })) {
  const css = await readFile(join(src, file), 'utf8');
  const { modules = {} } = await preprocessCSS(css, join(src, file), config);
  // The list includes animations, which no component names.
  const names = Object.keys(modules).filter((name) => !css.includes(`@keyframes ${name} {`));
  const users = sources.filter(({ styles }) => styles.includes(file));
  for (const name of names.filter((each) => !users.some(({ code }) => isNamed(each, code))))
    errors.push(`${file}: no component names .${name}`);
  for (const [name, short] of Object.entries(modules)) {
    if (shortNames.has(short))
      errors.push(`${file}: .${name} has the same short name as ${shortNames.get(short)}`);
    shortNames.set(short, `.${name} of ${file}`);
  }
  const target = join(folder, file.replace(/\.css$/, '.d.css.ts'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, declaration(names));
}
if (errors.length > 0) {
  console.error(errors.join('\n'));
  process.exitCode = 1;
}
