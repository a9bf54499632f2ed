import { renderMermaidSVG } from 'beautiful-mermaid';
import type { MarkdownRenderer } from 'vitepress';

/**
 * Renders Mermaid blocks as SVG when the site is built, so that pages need no script. The words behind
 * `mermaid` in the first line of a block are the alternative text, without which it throws.
 */
export function renderDiagrams(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index, ...more) => {
    const token = tokens[index];
    const [, text] = /^mermaid(?:\s+(.*))?$/.exec(token?.info.trim() ?? '') ?? [];
    if (token === undefined || !token.info.startsWith('mermaid'))
      return fence?.(tokens, index, ...more) ?? '';
    if (text === undefined)
      throw new Error(
        'found a diagram without words behind "mermaid"; write what it shows, for screen readers',
      );
    const svg = renderMermaidSVG(token.content, {
      bg: 'var(--vp-c-bg)',
      fg: 'var(--vp-c-text-1)',
      font: 'system-ui',
    })
      // The style sheet of a font on another host: the site loads nothing from elsewhere.
      .replaceAll(/@import url\([^)]*\);/g, '')
      .replace('<svg ', `<svg role="img" aria-label="${md.utils.escapeHtml(text)}" `);
    return `<div class="diagram" v-pre>${svg}</div>\n`;
  };
}
