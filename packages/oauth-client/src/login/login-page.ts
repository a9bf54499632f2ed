import { createHash } from 'node:crypto';

export type LoginPage =
  | { readonly went: 'well'; readonly workload: string; readonly issuer: string }
  | { readonly went: 'wrong'; readonly workload: string; readonly why: string }
  | { readonly went: 'elsewhere' }
  | { readonly went: 'astray' };

const STYLE = `
:root { color-scheme: light dark; font: 18px/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h1::before { content: var(--sign) ' '; }
.well { --sign: '✓'; }
.wrong { --sign: '✗'; }
.elsewhere, .astray { --sign: '?'; }
p { overflow-wrap: anywhere; }
`;

/** Removes the used code from the address bar and the history. */
const SCRIPT = `history.replaceState(null, '', location.pathname);`;

/** Permits only the page's inline script and style, no other resources. */
export const LOGIN_PAGE_POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLE)}'`,
  `script-src '${hashOf(SCRIPT)}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

export function loginPage(page: LoginPage): string {
  const { title, text } = wordsOf(page);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Portolan</title>
<style>${STYLE}</style>
<script>${SCRIPT}</script>
</head>
<body>
<main class="${page.went}">
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`;
}

function wordsOf(page: LoginPage): { readonly title: string; readonly text: string } {
  switch (page.went) {
    case 'well':
      return {
        title: 'You are logged in',
        text: `Portolan may now use <b>${escape(page.workload)}</b>, with what ${escape(page.issuer)} has allowed. You can close this page.`,
      };
    case 'wrong':
      return {
        title: 'The login did not work',
        text: `${escape(page.why)} Nothing was changed for <b>${escape(page.workload)}</b>; what to do stands in the terminal.`,
      };
    case 'elsewhere':
      return {
        title: 'Nothing is here',
        text: 'A login of Portolan waits on this port, at another address.',
      };
    case 'astray':
      return {
        title: 'This is of another login',
        text: 'It is no answer to the login that waits here, if one does, and changes nothing. The address to log in at stands in the terminal.',
      };
    default:
      return page satisfies never;
  }
}

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => MARKS[mark] ?? '');
}
