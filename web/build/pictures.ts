/**
 * Makes a drawing of `pictures/` ready to send: minified, its words outlines.
 *
 * Animated elements carry a class, and a CSS transform replaces a transform attribute. So the
 * passes of svgo that move attributes between elements, or drop what is invisible at first, stay
 * off, and so does the one that inlines rules: it would outrank the reduced-motion rules.
 */
import { type Config, optimize } from 'svgo';

const config: Config = {
  multipass: true,
  floatPrecision: 2,
  plugins: [
    {
      name: 'preset-default',
      params: {
        overrides: {
          cleanupIds: false,
          collapseGroups: false,
          inlineStyles: false,
          mergePaths: false,
          moveElemsAttrsToGroup: false,
          moveGroupAttrsToElems: false,
          removeHiddenElems: false,
        },
      },
    },
  ],
};

/** `name` is what a mistake is reported with. */
export function buildPicture(name: string, source: string): string {
  try {
    // An image can't see the page's fonts.
    if (/<text\b/.test(source)) throw new Error('has text: convert it to paths');
    return optimize(source, config).data;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name}: ${reason}`, { cause });
  }
}

/** The size written on the root element, for the `<img>` to reserve its place. */
export function pictureSize(name: string, source: string) {
  const root = /<svg\b[^>]*>/.exec(source)?.[0] ?? '';
  const length = (side: string) => {
    const value = Number(new RegExp(`\\s${side}="([\\d.]+)"`).exec(root)?.[1]);
    if (!(value > 0)) throw new Error(`${name}: the root element has no ${side}`);
    return value;
  };
  return { width: length('width'), height: length('height') };
}
