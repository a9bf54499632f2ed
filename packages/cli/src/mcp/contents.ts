import type { ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client';

/** A part of a result: text, or data to save. */
export type Part =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'bytes'; readonly what: string; readonly mimeType: string; readonly base64: string };

const ANY_BYTES = 'application/octet-stream';

/** Returns the parts of a tool's or a prompt's result, in order. */
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
        // A block type of a newer protocol revision.
        return { is: 'text', text: JSON.stringify(block satisfies never) };
    }
  });
}

export function partsOfResource({ contents }: ReadResourceResult): readonly Part[] {
  return contents.map(partOfResource);
}

function partOfResource(resource: ReadResourceResult['contents'][number]): Part {
  if ('text' in resource) return { is: 'text', text: resource.text };
  return { is: 'bytes', what: 'data', mimeType: resource.mimeType ?? ANY_BYTES, base64: resource.blob };
}
