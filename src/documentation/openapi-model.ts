/** The part of the OpenAPI 3.1 object model that the service's document uses. */
import type { JsonSchema } from '../commands/reply.ts';

/** Refers to an element of the same document. A type and not an interface, so that it is also a JsonSchema. */
export type Reference = { readonly $ref: string };

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly description: string;
  readonly required?: boolean;
  /** `form` with `explode`: each member of the object is a separate parameter. */
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly schema: JsonSchema;
}

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: ReadonlyArray<OpenApiParameter | Reference>;
  readonly requestBody?: {
    readonly description: string;
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, OpenApiResponse | Reference>>;
  /** Replaces the requirements of the document. An empty requirement means that no credentials are needed. */
  readonly security?: ReadonlyArray<Readonly<Record<string, readonly string[]>>>;
}

export interface PathItem {
  readonly get?: Operation;
  readonly post?: Operation;
  readonly put?: Operation;
  readonly patch?: Operation;
  readonly delete?: Operation;
}

export interface SecurityScheme {
  readonly type: 'apiKey' | 'http' | 'mutualTLS';
  readonly description: string;
  readonly in?: 'query';
  readonly name?: string;
  readonly scheme?: 'basic' | 'bearer';
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: ReadonlyArray<{ readonly url: string; readonly description: string }>;
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly security: ReadonlyArray<Readonly<Record<string, readonly string[]>>>;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, OpenApiParameter>>;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
  /** The commands by name: references to their parts, and properties for which OpenAPI has no place. */
  readonly 'x-commands': Readonly<Record<string, CommandEntry>>;
  /** The errors by code. */
  readonly 'x-errors': Readonly<Record<string, ErrorDescription>>;
}

export interface CommandEntry {
  readonly group: string;
  readonly summary: string;
  readonly since: string;
  readonly access: 'read' | 'write';
  readonly needs: string;
  readonly operation: Reference;
  readonly answer: Reference;
  readonly errors: readonly string[];
}

export interface ErrorDescription {
  readonly successStatus: number;
  readonly http: number;
  readonly text: string;
  readonly remedy: string;
}
