"""The subscription language: text to subscriptions and back."""
