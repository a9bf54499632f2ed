// Takes secrets out of texts of 18 MB, which are one long word or one long space, and prints what was thrown.
import { maskText } from '../src/mask-text.ts';

const length = 18_000_000;
const word = 'x'.repeat(length);
const space = ' '.repeat(length);
const texts = {
  tokens: 'eyJ.'.repeat(length / 4),
  scheme: `Bearer ${word}`,
  'space of a scheme': `Bearer${space}x`,
  value: `token=${word}`,
  'quoted value': `token="${word}"`,
  'space of a value': `token=Bearer${space}x`,
  name: `${word}=x`,
  'space of a name': `token${space}=x`,
  address: `a ://${word}`,
  query: `a ://x?${word}`,
};
for (const [name, text] of Object.entries(texts)) {
  try {
    maskText(text);
  } catch (error) {
    console.log(name, error);
  }
}
