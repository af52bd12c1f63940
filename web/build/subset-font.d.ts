/** What the build uses of `subset-font`, which ships no types. */
declare module 'subset-font' {
  const subsetFont: (font: Buffer, characters: string, options: object) => Promise<Buffer>;
  export default subsetFont;
}
