import { bodyNotForm } from '../errors.ts';
import { type Step, step } from '../request/route.ts';
import { readPlainText } from './read-body.ts';

/**
 * Reads the text of a form or of JSON, at most this many bytes, and leaves it
 * to the page alone: it may hold a token, so that audit gets none of it. Throws
 * ERR_BODY_NOT_FORM for another content type, and as `readBody` does.
 */
export function readForm(mostBytes: number): Step {
  return step('readForm', async (ctx) => {
    const type = ctx.is('urlencoded', 'json', '+json');
    if (type === false) throw bodyNotForm(ctx.get('Content-Type'));
    ctx.state.form = type === null ? '' : await readPlainText(ctx, mostBytes);
  });
}
