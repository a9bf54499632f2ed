import { shortened } from '../answers/json-value.ts';

/** Longer texts are cut: they are made for a page. */
const MAX_CHARACTERS = 60_000;

/** What a text of a catalogue may become. No images: they lie on other hosts, which pages ask for nothing. */
const ALLOWED_TAGS = [
  'h3 h4 h5 h6 p ul ol li blockquote pre code hr br a details summary',
  'strong em b i s del ins sub sup kbd samp',
  'table thead tbody tr th td dl dt dd',
].flatMap((tags) => tags.split(' '));

/** Markdown, with HTML in it or without, as HTML that runs nothing, asks no host for anything and leads to web pages and mail only. */
export async function renderMarkdown(text: string): Promise<string> {
  // Loaded for the first text: most entries have none.
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
        // An address of this server is none that a catalogue knows.
        attribs: {
          ...(/^(?:https?:\/\/|mailto:)/i.test(href) ? { href, rel: 'nofollow noopener noreferrer' } : {}),
          ...(title === undefined ? {} : { title }),
        },
      }),
    },
  });
}

/** Headings of a text stand below those of the page, one level after the other, whichever it uses. */
function headingsBelow(html: string): Readonly<Record<string, string>> {
  const used = [
    ...new Set([...html.matchAll(/<(h[1-6])\b/gi)].map(([, tag = '']) => tag.toLowerCase())),
  ].toSorted();
  return Object.fromEntries(used.map((tag, level) => [tag, `h${Math.min(6, 3 + level)}`]));
}
