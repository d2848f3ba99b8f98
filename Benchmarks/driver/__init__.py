"""What `bench` does, part by part."""
