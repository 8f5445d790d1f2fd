"""What the integration tests share: private namespaces, stand-ins with the exact argv, and the
product's reports."""
