import type { HttpProblem } from '../http-errors.ts';
import { escapeHtml } from './escape-html.ts';

/** Headers of a page without script, style and forms. */
export const ERROR_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

/** Shows the same message, code and hint as the JSON body. */
export function errorPage({ status, error, code, hint }: HttpProblem, requestId: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Error ${status}</title>
<h1>Error ${status}</h1>
<p>${escapeHtml(error)}</p>
${hint === undefined ? '' : `<p>${escapeHtml(hint)}</p>\n`}<p><code>${escapeHtml(code)}</code>, request ${escapeHtml(requestId)}</p>
</html>
`;
}
