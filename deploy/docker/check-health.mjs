// The health check of the image: ready, by the word of the internal listener, or of the public one where that is off.
import http from 'node:http';

const { PORTOLAN_SERVER_INTERNALADDRESS: internal = '', PORTOLAN_SERVER_ADDRESS: address = '' } = process.env;
const [, port] = /:(\d+)$/.exec(internal === 'off' ? address : internal) ?? [];
const request = http.get({ host: '127.0.0.1', port, path: '/readiness', timeout: 2500 }, (response) => {
  response.resume();
  process.exitCode = response.statusCode === 200 ? 0 : 1;
});
request.on('timeout', () => request.destroy(new Error('no answer in time')));
request.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
