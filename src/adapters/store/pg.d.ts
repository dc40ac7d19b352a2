/** The part of `pg` that the store uses: the package ships no types, and these few lines are checked by using them. */
declare module "pg" {
  export type Config = {
    readonly connectionString: string;
    readonly application_name?: string;
    readonly connectionTimeoutMillis?: number;
    readonly keepAlive?: boolean;
    readonly max?: number;
    /** A query is sent at once, whether or not the one before was answered. */
    readonly pipeline?: boolean;
    readonly types?: { getTypeParser(oid: number, format?: string): (text: string) => unknown };
  };
  /** With a name it is prepared once per connection. */
  export type Statement = {
    readonly name?: string;
    readonly text: string;
    readonly values?: readonly unknown[];
  };
  export type Result = { readonly rows: Record<string, string | number | null>[] };

  export interface Client {
    connect(): Promise<void>;
    query(statement: Statement | string): Promise<Result>;
    on(event: "error", listener: (error: Error) => void): this;
    on(event: "end", listener: () => void): this;
    on(event: "notification", listener: (message: { readonly payload?: string }) => void): this;
    end(): Promise<void>;
  }
  /** With an error the connection is closed instead of being used again. */
  export interface PoolClient extends Client {
    release(error?: Error | boolean): void;
  }
  export interface Pool {
    connect(): Promise<PoolClient>;
    query(statement: Statement | string): Promise<Result>;
    on(event: "error", listener: (error: Error) => void): this;
    on(event: "connect", listener: (client: PoolClient) => void): this;
    end(): Promise<void>;
  }
  const pg: {
    readonly Client: new (config: Config) => Client;
    readonly Pool: new (config: Config) => Pool;
    readonly types: { getTypeParser(oid: number, format?: string): (text: string) => unknown };
  };
  export default pg;
}
