import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

const webhook = {
  type: 'object',
  description: 'One service that is asked.',
  required: ['name', 'url', 'failurePolicy'],
  properties: {
    name: { type: 'string', minLength: 1, description: 'Its name, for logs; each once.' },
    url: {
      type: 'string',
      format: 'uri',
      description: 'Where it is asked; https, unless `tls.insecureSkipVerify` is set.',
    },
    timeout: {
      type: 'string',
      format: 'duration',
      default: '10s',
      description: 'Time for a whole answer, from 1s to 30s.',
    },
    failurePolicy: {
      type: 'string',
      enum: ['fail', 'ignore'],
      description: 'Where it cannot be asked: refuse the message, or let it go on as it is.',
    },
    tls: {
      type: 'object',
      default: {},
      description: 'How its connections are made.',
      properties: {
        caBundle: {
          type: 'string',
          format: 'path',
          description: 'CA bundle that is trusted beside the usual roots.',
        },
        clientCertificate: {
          type: 'string',
          format: 'path',
          description: 'Certificate that is shown to it.',
        },
        clientKey: { type: 'string', format: 'path', description: 'Key of that certificate.' },
        insecureSkipVerify: {
          type: 'boolean',
          default: false,
          description: 'Believe any certificate, and allow http; for trials.',
        },
      },
    },
    hmacSecret: {
      type: 'string',
      minLength: 1,
      description: 'What requests are signed with: absolute path of a file, or the name of a secret.',
    },
    compat: {
      type: 'boolean',
      default: false,
      description: 'Send the signature under the header names of the reference implementation as well.',
    },
  },
} as const satisfies ConfigBlock;

export const webhooksConfig = {
  type: 'object',
  description: 'Services that are asked about what clients say.',
  required: ['webhooks'],
  properties: {
    webhooks: { type: 'array', minItems: 1, items: webhook, description: 'They are asked in this order.' },
  },
} as const satisfies ConfigBlock;

export type WebhooksConfig = ConfigOf<typeof webhooksConfig>;
export type WebhookConfig = ConfigOf<typeof webhook>;
