import { createHash, createHmac } from 'node:crypto';

export type StoreCredentials = {
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
};

export type StoreRequest = {
  method: 'GET' | 'PUT' | 'DELETE';
  key: string;
  body?: string;
  headers?: Record<string, string>;
};

/** One request to the store, signed; enough for tests, and no client of S3. */
export function storeRequest(credentials: StoreCredentials, request: StoreRequest): Promise<Response> {
  const { url, headers } = signed(credentials, request, new Date());
  const body = request.body === undefined ? {} : { body: request.body };
  return fetch(url, { method: request.method, headers, ...body, signal: AbortSignal.timeout(5000) });
}

/** AWS Signature Version 4, with the body's hash in it. */
export function signed(credentials: StoreCredentials, request: StoreRequest, now: Date) {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = credentials;
  const url = new URL(`${endpoint}/${bucket}/${request.key}`);
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const bodyHash = sha256(request.body ?? '');
  const headers: Record<string, string> = {
    ...request.headers,
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    request.method,
    url.pathname,
    '',
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { url: url.href, headers: { ...headers, authorization } };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
