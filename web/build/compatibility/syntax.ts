/** Small questions to a syntax tree. */
import { parseSync } from 'vite';

export type Node = { type: string; start: number; end: number; [key: string]: unknown };

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

/** What stands below; types are for the compiler alone. */
export const children = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter(isNode)
    .filter(({ type, expression }) => !type.startsWith('TS') || isNode(expression));

export const nameOf = (node: unknown): string =>
  isNode(node) ? String(node.name ?? node.value ?? '') : '';

export function statements(file: string, code: string): Node[] {
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  return program.body as unknown as Node[];
}

/** Every name that is given to something: by a declaration, a parameter, an import. */
export function boundNames(node: Node): string[] {
  const { type, id, local, params, param } = node;
  const patterns = [id, local, param, ...(Array.isArray(params) ? params : [])].filter(isNode);
  const here = type === 'Property' ? [] : patterns.flatMap(namesInPattern);
  return [...here, ...children(node).flatMap(boundNames)];
}

/** The names that a statement on the top level gives to the rest of the file. */
export function declaredNames(statement: Node): string[] {
  const { id, declarations } = isNode(statement.declaration) ? statement.declaration : statement;
  const declared = Array.isArray(declarations) ? declarations.map((each: Node) => each.id) : [id];
  return declared.filter(isNode).flatMap(namesInPattern);
}

function namesInPattern(node: Node): string[] {
  if (node.type === 'Identifier') return [nameOf(node)];
  const parts = [node.value, node.left, node.argument, node.properties, node.elements];
  return parts.flat().filter(isNode).flatMap(namesInPattern);
}

const keyed = /^(Property|PropertyDefinition|MethodDefinition|TS(Property|Method)Signature)$/;

/** The names of all properties that objects, classes and types are written with. */
export function keysIn(node: Node): string[] {
  // Taking something apart gives no name to anything.
  if (node.type === 'ObjectPattern') return [];
  const below = Object.values(node).flat().filter(isNode).flatMap(keysIn);
  return keyed.test(node.type) ? [nameOf(node.key), ...below] : below;
}
