export const URI = { type: 'string', format: 'uri' } as const;

export const SUBFOLDER_TEXT = {
  type: 'string',
  description: 'Path from the root of the repository, without leading slash.',
} as const;

export const METADATA_SCHEMA = {
  type: 'object',
  description: 'Extension data below reverse-DNS keys.',
  properties: {
    'io.modelcontextprotocol.registry/publisher-provided': {
      type: 'object',
      description: "The publisher's own data, below a vendor's key.",
    },
  },
} as const;
