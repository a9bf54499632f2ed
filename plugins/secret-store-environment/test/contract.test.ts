import { secretStoreContract } from '@portolan/plugin-testing';
import { environmentStore } from '../src/index.ts';

const environment = { PORTOLAN_SECRET_weather: 'k-1', TOOLHIVE_SECRET_maps: 'k-2', weather: 'no secret' };

secretStoreContract({
  name: 'environment',
  kind: environmentStore,
  blocks: [{}],
  create: (context) => environmentStore.create({}, { ...context, environment }),
  present: { weather: 'k-1', maps: 'k-2' },
  badNames: ['', 'a=b', 'a\0b'],
});
