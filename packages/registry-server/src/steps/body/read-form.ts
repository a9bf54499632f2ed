import { bodyNotForm } from '../../errors.ts';
import { type Step, step } from '../../request/route.ts';
import { readPlainText } from './read-body.ts';

/**
 * Reads the body of a page's request. Does not record the text for the audit log, because it may contain a
 * token. Throws ERR_CONTENT_TYPE_UNSUPPORTED, and errors like `readBody`.
 */
export function readForm(maxBytes: number): Step {
  return step('readForm', async (ctx) => {
    const type = ctx.is('urlencoded', 'json', '+json');
    if (type === false) throw bodyNotForm(ctx.get('Content-Type'));
    ctx.state.form = type === null ? '' : await readPlainText(ctx, maxBytes);
  });
}
