/** A post of words, addresses, tables and code that are wider than any screen. */

export const word =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const address = `https://example.com/${'a-long-address/'.repeat(12)}`;
const cells = Array.from({ length: 14 }, (_, at) => `Column ${at + 1}`);
const row = (texts: string[]) => `| ${texts.join(' | ')} |`;
const deepList = Array.from(
  { length: 8 },
  (_, at) => `${'  '.repeat(at)}- Level ${at + 1} ${word}`,
);
export const widePost = `+++
title = "A wide post about ${word}"
short_title = "A wide post"
excerpt = "An excerpt with ${word} in it."
description = "A post made by a test."
date = 2026-01-06
categories = ["Wide"]
picture = { file = "a photo.jpg", alt = "A page of this site" }
sources = [{ label = "${word} and ${address}", url = "${address}" }]
+++

A word that is too long: ${word}${word}. [${address}](${address})

## A heading with ${word}

${row(cells)}
${row(cells.map(() => '---'))}
${row(cells.map((_, at) => `value-that-is-kept-whole-${at}`))}

\`\`\`
${'a line of code that goes on and on; '.repeat(20)}
\`\`\`

Among words \`${'code_without_a_space_'.repeat(12)}\` too.

![A page of this site](a%20photo.jpg "A caption with ${word}${word}")

${deepList.join('\n')}

> A quote: ${word}${word}
>
> \`\`\`
> ${'code in a quote, '.repeat(30)}
> \`\`\`

1. A step

   ${row(cells)}
   ${row(cells.map(() => '---'))}
   ${row(cells)}
`;
