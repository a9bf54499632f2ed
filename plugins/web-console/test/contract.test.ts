import { pagesContract } from '@portolan/plugin-testing';
import { webConsole } from '../src/index.ts';

pagesContract({ name: 'web-console', kind: webConsole, blocks: [{ title: 'Portolan' }] });
