import type { ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client';

/** A part of what a server answers: a text, or something to save. */
export type Part =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'bytes'; readonly what: string; readonly mimeType: string; readonly base64: string };

const ANY_BYTES = 'application/octet-stream';

/** The parts of a tool's or a prompt's answer, in order. */
export function partsOfContent(content: readonly ContentBlock[]): readonly Part[] {
  return content.map((block): Part => {
    switch (block.type) {
      case 'text':
        return { is: 'text', text: block.text };
      case 'image':
      case 'audio':
        return { is: 'bytes', what: block.type, mimeType: block.mimeType, base64: block.data };
      case 'resource':
        return partOfResource(block.resource);
      case 'resource_link':
        return { is: 'text', text: `${block.name}: ${block.uri}` };
      default:
        // Of a revision that is not known yet.
        return { is: 'text', text: JSON.stringify(block satisfies never) };
    }
  });
}

/** The parts of a resource. */
export function partsOfResource({ contents }: ReadResourceResult): readonly Part[] {
  return contents.map(partOfResource);
}

function partOfResource(resource: ReadResourceResult['contents'][number]): Part {
  if ('text' in resource) return { is: 'text', text: resource.text };
  return { is: 'bytes', what: 'data', mimeType: resource.mimeType ?? ANY_BYTES, base64: resource.blob };
}
