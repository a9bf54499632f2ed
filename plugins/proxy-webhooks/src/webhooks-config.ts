import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

const webhook = {
  type: 'object',
  description: 'A webhook service.',
  required: ['name', 'url', 'failurePolicy'],
  properties: {
    name: { type: 'string', minLength: 1, description: 'Its name, for logs; each once.' },
    url: {
      type: 'string',
      format: 'uri',
      description: 'Address of the webhook; https, unless `tls.insecureSkipVerify` is set.',
    },
    timeout: {
      type: 'string',
      format: 'duration',
      default: '10s',
      description: 'Timeout of a complete response, from 1s to 30s.',
    },
    failurePolicy: {
      type: 'string',
      enum: ['fail', 'ignore'],
      description:
        'What happens when the webhook is unavailable: refuse the message, or pass it on unchanged.',
    },
    tls: {
      type: 'object',
      default: {},
      description: 'TLS settings of its connections.',
      properties: {
        caBundle: {
          type: 'string',
          format: 'path',
          description: 'CA bundle that is trusted in addition to the default authorities.',
        },
        clientCertificate: {
          type: 'string',
          format: 'path',
          description: 'Client certificate.',
        },
        clientKey: { type: 'string', format: 'path', description: 'Key of that certificate.' },
        insecureSkipVerify: {
          type: 'boolean',
          default: false,
          description: 'Accepts any certificate, and allows http; for trials.',
        },
      },
    },
    hmacSecret: {
      type: 'string',
      minLength: 1,
      description: 'Key that signs requests: absolute path of a file, or the name of a secret.',
    },
    compat: {
      type: 'boolean',
      default: false,
      description: 'Sends the signature under the header names of ToolHive as well.',
    },
  },
} as const satisfies ConfigBlock;

export const webhooksConfig = {
  type: 'object',
  description: 'Webhooks for messages of clients.',
  required: ['webhooks'],
  properties: {
    webhooks: { type: 'array', minItems: 1, items: webhook, description: 'They are asked in this order.' },
  },
} as const satisfies ConfigBlock;

export type WebhooksConfig = ConfigOf<typeof webhooksConfig>;
export type WebhookConfig = ConfigOf<typeof webhook>;
