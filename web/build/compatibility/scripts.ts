/**
 * What a script uses of the platform that the oldest browsers lack, and what it
 * asks for first: `'x' in y`, `typeof y.x`, `y.x?.()`, `CSS.supports(…)`, a
 * condition that looks at it. What stands in a `try` may be missing.
 */
import {
  comesWith,
  type Feature,
  missingAnywhere,
  missingAttribute,
  missingGlobal,
  missingMember,
  missingSelectors,
} from './support.ts';
import {
  boundNames,
  children,
  declaredNames,
  isNode,
  type Node,
  nameOf,
  statements,
} from './syntax.ts';

type Use = { line: number; feature: Feature; attribute: boolean };

const selectorMethods = /^(matches|closest|querySelector|querySelectorAll)$/;
const tests = /^(IfStatement|ConditionalExpression)$/;

/** Names of styles and of data are no members of the platform. */
const isStyle = (owner: unknown) =>
  isNode(owner) && /^(style|dataset)$/.test(nameOf(owner.property));

/** A statement on the top level of a file. */
class Part {
  readonly uses: Use[] = [];
  readonly asks: Feature[] = [];
  readonly mentions = new Set<string>();
  readonly #script: Script;

  constructor(script: Script, statement: Node) {
    this.#script = script;
    this.#read(statement);
  }

  /** `asking`: what stands here is looked at, not used. */
  #read(node: Node, asking = false, tried = false) {
    const { type, operator } = node;
    if (type === 'BinaryExpression' && operator === 'in')
      this.#ask(nameOf(node.left), nameOf(node.right));
    if (!tried) this.#use(node, asking);
    const asks = asking || (type === 'UnaryExpression' && /^(typeof|!)$/.test(String(operator)));
    for (const child of children(node)) {
      if (child === node.property && !node.computed) continue;
      if (child === node.key && !node.computed && !node.shorthand) continue;
      const looksAt =
        (tests.test(type) && child === node.test) ||
        (type === 'LogicalExpression' && child === node.left) ||
        (node.optional === true && (child === node.object || child === node.callee));
      const passes = asks && type !== 'CallExpression' && !/Function|Block/.test(type);
      const inTry = tried || (type === 'TryStatement' && child === node.block && !!node.handler);
      this.#read(child, looksAt || passes, inTry);
    }
  }

  #use(node: Node, asking: boolean) {
    const { type, property, object, computed, callee, id, init } = node;
    const { own } = this.#script;
    if (type === 'Identifier') {
      const name = nameOf(node);
      this.mentions.add(name);
      if (asking) this.#ask(name);
      else if (!own.has(name)) this.#note(node, missingGlobal(name));
    } else if (type === 'MemberExpression' && !computed && !isStyle(object)) {
      if (asking) this.#ask(nameOf(property), nameOf(object));
      else this.#note(node, this.#member(nameOf(object), nameOf(property)));
    } else if (type === 'VariableDeclarator' && isNode(id) && id.type === 'ObjectPattern') {
      for (const part of id.properties as Node[])
        this.#note(part, nameOf(init) ? this.#member(nameOf(init), nameOf(part.key)) : undefined);
    } else if (type === 'CallExpression' && isNode(callee)) this.#call(node, callee);
    else if (type === 'JSXOpeningElement') this.#attributes(node);
  }

  #call(node: Node, callee: Node) {
    const method = nameOf(callee.property);
    const text = nameOf((node.arguments as Node[])[0]);
    if (nameOf(callee.object) === 'CSS') this.asks.push(...missingSelectors(text));
    else if (selectorMethods.test(method))
      for (const feature of missingSelectors(text)) this.#note(node, feature);
    else if (method === 'setAttribute') this.#note(node, missingAttribute(undefined, text), true);
  }

  #attributes(node: Node) {
    const tag = nameOf(node.name);
    // A component's properties are its own business.
    if (!/^[a-z]/.test(tag)) return;
    for (const each of node.attributes as Node[])
      this.#note(each, missingAttribute(tag, nameOf(each.name)), true);
  }

  #member(owner: string, member: string): Feature | undefined {
    const { own, imported, keys } = this.#script;
    if (owner && !own.has(owner)) return missingMember(owner, member);
    return imported.has(owner) || keys.has(member) ? undefined : missingAnywhere(member);
  }

  #ask(name: string, owner = '') {
    for (const feature of [this.#member(owner, name), missingAnywhere(name), missingGlobal(name)])
      if (feature) this.asks.push(feature);
  }

  #note(node: Node, feature: Feature | undefined, attribute = false) {
    if (feature) this.uses.push({ line: this.#script.lineOf(node), feature, attribute });
  }
}

export class Script {
  readonly own: Set<string>;
  /** Among them those of other files and packages, whose members are theirs. */
  readonly imported: Set<string>;
  readonly keys: Set<string>;
  readonly #code: string;
  readonly #parts: { part: Part; declares: string[] }[];

  /** `keys`: names of our own properties, of which the platform's data knows nothing. */
  constructor(file: string, code: string, keys: Set<string>) {
    const all = statements(file, code);
    this.#code = code;
    this.keys = keys;
    this.own = new Set(all.flatMap(boundNames));
    const imports = all.filter(({ type }) => type === 'ImportDeclaration');
    this.imported = new Set(imports.flatMap(boundNames));
    this.#parts = all.map((each) => ({
      part: new Part(this, each),
      declares: declaredNames(each),
    }));
  }

  get asks(): Feature[] {
    return this.#parts.flatMap(({ part }) => part.asks);
  }

  lineOf({ start }: Node): number {
    return this.#code.slice(0, start).split('\n').length;
  }

  /**
   * What is used and not asked for in the same function, or in one of the file
   * that it calls. Attributes, which older browsers pass over, may be asked for anywhere.
   */
  unguarded(askedAnywhere: Feature[]): Use[] {
    return this.#parts.flatMap(({ part }) => {
      const asked = this.#askedFor(part);
      return part.uses.filter(({ feature, attribute }) =>
        (attribute ? askedAnywhere : asked).every((each) => !comesWith(each, feature)),
      );
    });
  }

  #askedFor(part: Part): Feature[] {
    const called = this.#parts.filter(({ declares }) => declares.some((n) => part.mentions.has(n)));
    return [part, ...called.map((each) => each.part)].flatMap(({ asks }) => asks);
  }
}
