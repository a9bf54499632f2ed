// Looks for secrets in texts of 8 MB, which are one long word or one long space, and prints what was thrown.
import { shownValues } from '../src/decisions/shown-values.ts';

const length = 8_000_000;
const word = 'x'.repeat(length);
const texts = {
  'middle of a token': `eyJ.${word}`,
  'end of a token': `${word}.`,
  credential: `Bearer ${word}`,
  'space of a credential': `Bearer${' '.repeat(length)}x`,
  address: `https://${word}`,
};
for (const [name, text] of Object.entries(texts)) {
  try {
    shownValues({ text });
  } catch (error) {
    console.log(name, error);
  }
}
