import { shortened } from '../responses/json-value.ts';

/** Maximum number of characters of a text; longer ones are cut. */
const MAX_CHARACTERS = 60_000;

/**
 * HTML elements that a catalogue text may contain. Images are not allowed, because pages load nothing from
 * other hosts.
 */
const ALLOWED_TAGS = [
  'h3 h4 h5 h6 p ul ol li blockquote pre code hr br a details summary',
  'strong em b i s del ins sub sup kbd samp',
  'table thead tbody tr th td dl dt dd',
].flatMap((tags) => tags.split(' '));

/**
 * Renders Markdown as safe HTML, without scripts and external resources. Links lead only to web pages and
 * mail addresses.
 */
export async function renderMarkdown(text: string): Promise<string> {
  // Loaded on first use, because most entries have no text.
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
        // Relative links are dropped: they would lead to this server, but belong to the publisher's site.
        attribs: {
          ...(/^(?:https?:\/\/|mailto:)/i.test(href) ? { href, rel: 'nofollow noopener noreferrer' } : {}),
          ...(title === undefined ? {} : { title }),
        },
      }),
    },
  });
}

/** Maps headings to levels below those of the page, without gaps. */
function headingsBelow(html: string): Readonly<Record<string, string>> {
  const used = [
    ...new Set([...html.matchAll(/<(h[1-6])\b/gi)].map(([, tag = '']) => tag.toLowerCase())),
  ].toSorted();
  return Object.fromEntries(used.map((tag, level) => [tag, `h${Math.min(6, 3 + level)}`]));
}
