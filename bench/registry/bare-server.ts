// Upper bound in Node.js: a plain node:http server that sends bytes from memory, and 304 for a matching
// entity tag. It has none of a registry's duties. The file NAME of a folder is the response of /NAME.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

const [folder, port] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: bare-server.ts FOLDER PORT');

const answers = new Map(
  readdirSync(folder).map((name) => {
    const body = readFileSync(path.join(folder, name));
    return [`/${name}`, { body, etag: `W/"${name}"` }];
  }),
);

const server = createServer((request, response) => {
  const answer = answers.get(request.url ?? '');
  if (answer === undefined) {
    response.writeHead(404, { 'Content-Length': 0 }).end();
  } else if (request.headers['if-none-match'] === answer.etag) {
    response.writeHead(304, { ETag: answer.etag }).end();
  } else {
    const { body, etag } = answer;
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      ETag: etag,
    });
    response.end(body);
  }
});
server.listen(Number(port), '127.0.0.1');
