import { shortened } from '../answers/json-value.ts';

/** Maximum number of characters of a text; longer ones are cut. */
const MAX_CHARACTERS = 60_000;

/** Images are not among them: pages load nothing from other hosts. */
const ALLOWED_TAGS = [
  'h3 h4 h5 h6 p ul ol li blockquote pre code hr br a details summary',
  'strong em b i s del ins sub sup kbd samp',
  'table thead tbody tr th td dl dt dd',
].flatMap((tags) => tags.split(' '));

/** Removes scripts and external resources; links lead only to web pages and mail addresses. */
export async function renderMarkdown(text: string): Promise<string> {
  // Most entries have no text.
  const [{ default: MarkdownIt }, { default: sanitize }] = await Promise.all([
    import('markdown-it'),
    import('sanitize-html'),
  ]);
  const html = new MarkdownIt({ html: true, maxNesting: 20 }).render(shortened(text, MAX_CHARACTERS));
  return sanitize(html, {
    allowedTags: ALLOWED_TAGS,
    allowedAttributes: { a: ['href', 'title', 'rel'], ol: ['start'], th: ['scope'] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    nestingLimit: 40,
    transformTags: {
      ...headingsBelow(html),
      a: (tagName, { href = '', title }) => ({
        tagName,
        // A relative link would lead to this server, which the catalogue does not know.
        attribs: {
          ...(/^(?:https?:\/\/|mailto:)/i.test(href) ? { href, rel: 'nofollow noopener noreferrer' } : {}),
          ...(title === undefined ? {} : { title }),
        },
      }),
    },
  });
}

/** Levels are below those of the page, without gaps. */
function headingsBelow(html: string): Readonly<Record<string, string>> {
  const used = [
    ...new Set([...html.matchAll(/<(h[1-6])\b/gi)].map(([, tag = '']) => tag.toLowerCase())),
  ].toSorted();
  return Object.fromEntries(used.map((tag, level) => [tag, `h${Math.min(6, 3 + level)}`]));
}
