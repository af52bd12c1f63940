/** `subset-font` ships no types. */
declare module 'subset-font' {
  const subsetFont: (font: Buffer, characters: string, options: object) => Promise<Buffer>;
  export default subsetFont;
}
